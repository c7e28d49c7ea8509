// A failure says why its test exists: the comment that its file begins with (docs/testing.md).
import { expect, test } from 'vitest';
import { headerOf } from './reporter.mjs';

test.each([
  ['lines', '// G14: an update that\n// does not belong\nimport a;\n// more', 'G14: an update that does not belong'],
  ['a block', '/**\n * The rules of\n * sync/SPEC.md\n */\nimport a;', 'The rules of sync/SPEC.md'],
  ['a block on one line', '/* Short. */ import a;', 'Short.'],
  ['no comment at the beginning', 'import a;\n// Later.', undefined],
  ['nothing', '', undefined],
])('%s', (_, text, header) => expect(headerOf(text)).toBe(header));
