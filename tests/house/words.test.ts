// One plain English (docs/words.md): patterns of words that names, comments, test titles and documents do not use, row by
// row, with the names that pass because the specification, the wire or a library fixes them.
import { describe, expect, test } from 'vitest';
import { headerOf } from '../../scripts/reporter.mjs';
import { files, read } from './files.ts';

interface Row {
  thing: string;
  /** What is looked at: the path itself, names in code, comments, titles of tests, or prose. */
  in: 'paths' | 'names' | 'comments' | 'titles' | 'prose';
  where: RegExp;
  never: RegExp;
  passes?: RegExp;
  refuses: readonly string[];
  allows: readonly string[];
}

const code = /^(client|db|scripts|server|shared|sync|tests)\/.*\.(tsx?|mjs)$/;
const product = /^(client|server|shared|sync)\/.*\.tsx?$/;
const documents = /^(README\.md|docs\/(?!words\.md).*\.md|sync\/SPEC\.md)$/;
const household = /\b(whoever|whomever|goes on)\b/i;
const riddle = /\b(whoever|whomever)\b/i;

const rows: Row[] = [
  {
    thing: 'annotations, not items',
    in: 'names',
    where: product,
    never: /\b[a-z]*(?:(?<![a-z])[iI]tems?[A-Z]\w*|[a-z]Items?(?![a-z])\w*)/,
    // Lists of editors and menus, storage of the browser, outcome types, stored fields, points of a summary.
    passes:
      /\b(\w*[lL]istItem\w*|changedItems|textItem|[tT]askItem|(get|set|remove)Item|itemIds?|(min|max)Items|actionItems|addItem|[sS]ummaryItem\w*|itemCount|menuItem)\b/,
    refuses: ['readItems(doc)', 'itemsAtom', 'const ItemKind = 1'],
    allows: ['localStorage.getItem(key)', 'command.itemId', 'liftListItem', 'Y.Item'],
  },
  {
    thing: 'annotations, speakers, unsent: in the names of files',
    in: 'paths',
    where: product,
    never: /(^|[/-])(items?|voices?|left|kept|lost|told|talk)([-.]|$)/,
    passes: /voice-notes?|voice-activity|server\/demo\/talk|voice-(?=badge)x/,
    refuses: ['client/meetings/items.ts', 'shared/meetings/item-rules.ts', 'client/meetings/left-words.tsx'],
    allows: ['client/meetings/annotations/voice-notes/new-voice-note.tsx', 'server/demo/talk.ts'],
  },
  {
    thing: 'visibility, not layer, for shared or private',
    in: 'names',
    where: product,
    never: /\b(type|interface) \w*Layer\b/,
    refuses: ["type Layer = 'shared' | 'private';"],
    allows: ["type Visibility = 'shared' | 'private';"],
  },
  {
    thing: 'one Signal, not sets of listeners',
    in: 'names',
    where: /^(client|sync\/client)\/.*\.tsx?$/,
    never: /\blisteners? = new Set\b|\bnew Set<\(\) => void>/,
    refuses: ['readonly #listeners = new Set<() => void>();'],
    allows: ['readonly #changed = new Signal();'],
  },
  {
    thing: 'a comment names its subject',
    in: 'comments',
    where: code,
    never:
      /^\s*(\/\/|\/\*\*?) *((Whoever|Whose|Of)\b|It (is|was|would|has|goes|came)\b|(What|Who|That|Where) (is|was|were|never|stands|stood|somebody|nobody|comes|came|became|has|had|goes|went|may|one)\b)/,
    refuses: ['  // What never comes', '/** Of all models. */', '  // It is what it would become'],
    allows: ['  // Never settles; loses every race.', '/** Folder that holds all models. */'],
  },
  {
    thing: 'a comment uses standard words',
    in: 'comments',
    where: code,
    never: household,
    refuses: ['  // Whoever asked later knows better', '/** A list goes on. */'],
    allows: ['  // Stale lookup: a newer one is running.'],
  },
  {
    thing: 'the title of a test uses standard words',
    in: 'titles',
    where: /\.test\.tsx?$/,
    never: riddle,
    refuses: ["test('whoever asks is told', () => {"],
    allows: ["test('a reader gets an answer', () => {", 'const whoever = 1;'],
  },
  {
    thing: 'a document uses standard words',
    in: 'prose',
    where: documents,
    never: household,
    refuses: ['Whoever runs it for others is told.'],
    allows: ['An operator who runs it for others gets a line in the log.'],
  },
];

/** The parts of a line that a row is about; a string literal is no name. */
function looked(row: Row, line: string): string {
  const isComment = /^\s*(\/\/|\/\*\*?|\*)/.test(line);
  if (row.in === 'comments') return isComment ? line : '';
  if (row.in === 'titles') return /^\s*(test|it|describe)\b/.test(line) ? line : '';
  if (row.in === 'names') return isComment ? '' : line.replaceAll(/'[^']*'|`[^`]*`|Y\.Item\b/g, "''");
  return line;
}

const wrong = (row: Row, line: string): boolean => {
  const text = looked(row, line);
  const rest = row.passes ? text.replaceAll(new RegExp(row.passes, 'g'), '') : text;
  return row.never.test(rest);
};

const tree = files().filter((path) => path !== 'tests/house/words.test.ts' && !path.startsWith('shared/i18n/'));

describe.each(rows)('$thing', (row) => {
  test('the row tells right from wrong', () => {
    expect(row.refuses.filter((line) => !wrong(row, line))).toEqual([]);
    expect(row.allows.filter((line) => wrong(row, line))).toEqual([]);
  });

  test('the house keeps it', () => {
    const paths = tree.filter((path) => row.where.test(path));
    expect(paths.length).toBeGreaterThan(2);
    const found =
      row.in === 'paths'
        ? paths.filter((path) => wrong(row, path))
        : paths.flatMap((path) =>
            read(path)
              .split('\n')
              .flatMap((line, nth) => (wrong(row, line) ? [`${path}:${nth + 1} ${line.trim()}`] : [])),
          );
    expect(found).toEqual([]);
  });
});

// A failure repeats it (docs/testing.md, "When one fails").
test('a test that is not beside its module says in its first lines why it exists', () => {
  const apart = tree.filter((path) => /^(tests|db)\/.*\.test\.ts$/.test(path));
  expect(apart.length).toBeGreaterThan(100);
  expect(apart.filter((path) => headerOf(read(path)) === undefined)).toEqual([]);
});
