// One plain English (docs/words.md): patterns of words that names, comments, test titles and documents do not use, row by
// row, with the names that pass because the specification, the wire or a library fixes them.
import { describe, expect, test } from 'vitest';
import { headerOf } from '../../scripts/reporter.mjs';
import { files, read } from './files.ts';

interface Row {
  thing: string;
  /** Places to look at: the path, names in code, comments or their first lines, titles of tests, or prose. */
  in: 'paths' | 'names' | 'comments' | 'openings' | 'titles' | 'prose';
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
    thing: 'a comment opens with its subject',
    in: 'openings',
    where: code,
    never:
      /^\s*(\/\/|\/\*\*?|\*) +((What|Which|Who|Where)(ever)?\b|(Whom|Whomever|Whose|Why|When|It|That|They|Of)\b|Null:|As (in|for)\b|[^;]* if null\. \*\/)/,
    refuses: [
      '  // What never comes',
      '/** Of all models. */',
      '  // It is what it would become',
      '/** Where texts are sent. */',
      '  /** Null: no limit. */',
      '/** No limit if null. */',
      '/** As in the settings. */',
      '/**\n * Why a document is closed.\n */',
      'wait();\n// That ends here.',
      '// @ts-check\n// Who pays.',
    ],
    allows: [
      '  // Never settles; loses every race.',
      '/** Folder that holds all models. */',
      '/** Whether it is paid. */',
      '/** Limit of a member; null for none. */',
      '// Lines of a search, once more.\n// It asks again for each.',
      '/**\n * Lines of a search.\n * Where none is left, null.\n */',
    ],
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

/** Whether a line has the first words of a comment; a directive to a checker is none. */
function opens(line: string, before: string): boolean {
  if (/^\s*\/\//.test(line)) return !/^\s*\/\/(?! @)/.test(before);
  return /^\s*\/\*/.test(line) || (/^\s*\*/.test(line) && /^\s*\/\*\*?$/.test(before));
}

/** The parts of a line that a row is about; a string literal is no name. */
function looked(row: Row, line: string, before: string): string {
  const isComment = /^\s*(\/\/|\/\*\*?|\*)/.test(line);
  if (row.in === 'comments') return isComment ? line : '';
  if (row.in === 'openings') return opens(line, before) ? line : '';
  if (row.in === 'titles') return /^\s*(test|it|describe)\b/.test(line) ? line : '';
  if (row.in === 'names') return isComment ? '' : line.replaceAll(/'[^']*'|`[^`]*`|Y\.Item\b/g, "''");
  return line;
}

const wrong = (row: Row, line: string, before = ''): boolean => {
  const text = looked(row, line, before);
  const rest = row.passes ? text.replaceAll(new RegExp(row.passes, 'g'), '') : text;
  return row.never.test(rest);
};

/** Lines of a text that a row refuses, by their numbers from 1. */
const wrongIn = (row: Row, text: string): string[] =>
  text.split('\n').flatMap((line, nth, all) => (wrong(row, line, all[nth - 1]) ? [`${nth + 1} ${line.trim()}`] : []));

const tree = files().filter((path) => path !== 'tests/house/words.test.ts' && !path.startsWith('shared/i18n/'));

describe.each(rows)('$thing', (row) => {
  test('the row tells right from wrong', () => {
    expect(row.refuses.filter((text) => wrongIn(row, text).length === 0)).toEqual([]);
    expect(row.allows.filter((text) => wrongIn(row, text).length > 0)).toEqual([]);
  });

  test('the house keeps it', () => {
    const paths = tree.filter((path) => row.where.test(path));
    expect(paths.length).toBeGreaterThan(2);
    const found =
      row.in === 'paths'
        ? paths.filter((path) => wrong(row, path))
        : paths.flatMap((path) => wrongIn(row, read(path)).map((line) => `${path}:${line}`));
    expect(found).toEqual([]);
  });
});

// A failure repeats it (docs/testing.md, "When one fails").
test('a test that is not beside its module says in its first lines why it exists', () => {
  const apart = tree.filter((path) => /^(tests|db)\/.*\.test\.ts$/.test(path));
  expect(apart.length).toBeGreaterThan(100);
  expect(apart.filter((path) => headerOf(read(path)) === undefined)).toEqual([]);
});
