// Pages of the guide are headings, paragraphs and lists; all else is text.
import { expect, test } from 'vitest';
import { readGuide } from './guide.ts';

test('a page is read as it is written', () => {
  expect(
    readGuide(
      '# Share\n\nPress {document:share}, or `Alt+M`.\n\n## More\n\n- one {Maria}\n- {a:b.c}\n\n- <b>two</b>\n',
    ),
  ).toEqual([
    { kind: 'title', lines: [[{ kind: 'text', text: 'Share' }]], part: 0 },
    {
      kind: 'paragraph',
      lines: [
        [
          { kind: 'text', text: 'Press ' },
          { kind: 'label', key: 'document:share' },
          { kind: 'text', text: ', or ' },
          { kind: 'keys', text: 'Alt+M' },
          { kind: 'text', text: '.' },
        ],
      ],
      part: 0,
    },
    { kind: 'heading', lines: [[{ kind: 'text', text: 'More' }]], part: 1 },
    { kind: 'list', lines: [[{ kind: 'text', text: 'one {Maria}' }], [{ kind: 'label', key: 'a:b.c' }]], part: 1 },
    { kind: 'list', lines: [[{ kind: 'text', text: '<b>two</b>' }]], part: 1 },
  ]);
});
