// Style sheets that work from right to left as well, take their colours from the tokens, and hold exactly the classes
// that are used: a misspelt class of a CSS module is `undefined` and nothing else would say so.
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { files, read } from './files.ts';

const blank = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '));

interface Declaration {
  line: number;
  property: string;
  value: string;
}

function declarations(css: string): Declaration[] {
  const text = blank(css);
  return [...text.matchAll(/(?<=[{;]\s*)(-?-?[a-z][\w-]*)\s*:\s*([^;{}]+)(?=[;}])/g)].map(
    ({ 1: property = '', 2: value = '', index }) => ({
      line: text.slice(0, index).split('\n').length,
      property,
      value: value.trim(),
    }),
  );
}

/** Four lengths whose right and left differ; functions count as one. */
function leans(value: string): boolean {
  const sides = value
    .replaceAll(/\([^()]*(\([^()]*\)[^()]*)*\)/g, (inside) => inside.replaceAll(/\s/g, ''))
    .split(/\s+/);
  return sides.length === 4 && sides[1] !== sides[3];
}

/** Declarations of left or right where start or end is meant. */
const physical = (css: string) =>
  declarations(css)
    .filter(
      ({ property, value }) =>
        /(^|-)(left|right)(-|$)/.test(property) ||
        (/^(text-align|float|clear|caption-side|background-position|transform-origin|justify-\w+)$/.test(property) &&
          /\b(left|right)\b/.test(value)) ||
        (/^(margin|padding|inset|scroll-(margin|padding))$/.test(property) && leans(value)),
    )
    .map(({ line, property, value }) => `${line}: ${property}: ${value}`);

/** The same said in a component: style objects, and Mantine's short props (it has `ms`, `me`, `ps`, `pe`). */
const physicalProps = (tsx: string) =>
  [
    ...tsx.matchAll(
      /\b(margin|padding|border)(Left|Right)\w*\s*:|\s(ml|mr|pl|pr|left|right)=[{"]|\bta="(left|right)"|\btextAlign:\s*'(left|right)'/g,
    ),
  ].map(([said]) => said.trim());

const ownColours = (css: string) =>
  declarations(css)
    .filter(({ value }) =>
      /#[0-9a-f]{3,8}\b|\b(rgba?|hsla?|hwb|oklab|oklch|lab|lch)\(\s*[\d.]/i.test(value.replaceAll(/url\([^)]*\)/g, '')),
    )
    .map(({ line, property, value }) => `${line}: ${property}: ${value}`);

/** The classes a sheet declares. */
function classes(css: string): string[] {
  const selectors =
    blank(css)
      .replaceAll(/url\([^)]*\)|"[^"]*"|'[^']*'/g, '')
      .match(/[^{};]+(?=\{)/g) ?? [];
  return [
    ...new Set(
      selectors
        .filter((selector) => !selector.trim().startsWith('@'))
        .flatMap((selector) =>
          [...selector.replaceAll(/:global\([^)]*\)/g, '').matchAll(/\.([a-zA-Z][\w-]*)/g)].map(
            ([, name = '']) => name,
          ),
        ),
    ),
  ];
}

/** Classes that a component takes from each sheet it imports; `computed` if it takes more than this can read. */
function taken(tsx: string, folder: string): { sheet: string; names: string[]; computed: boolean }[] {
  const code = tsx.replaceAll(/^import .*$/gm, '');
  return [...tsx.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].map(([, as = '', path = '']) => ({
    sheet: join(folder, path),
    names: [...code.matchAll(new RegExp(`\\b${as}(?:\\.(\\w+)|\\['([\\w-]+)'\\])`, 'g'))].map(
      ([, dotted, quoted]) => dotted ?? quoted ?? '',
    ),
    computed: new RegExp(`\\b${as}(\\[(?!')|\\b(?![.[]))`).test(code),
  }));
}

const tree = files().filter((path) => path.startsWith('client/'));
const sheets = tree.filter((path) => path.endsWith('.css'));
const components = tree.filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.'));
const all = (paths: string[], wrong: (text: string) => string[]) =>
  paths.flatMap((path) => wrong(read(path)).map((what) => `${path}:${what}`));

/** Placed at a point measured on the screen, which has no start and no end. */
const measured = [
  'client/ui/base.css',
  'client/ui/hint.module.css',
  'client/meetings/annotations/outcomes/range-handles.module.css',
  'client/meetings/page/tap-play.module.css',
  'client/meetings/player/go-to-time.module.css',
  'client/meetings/player/settings.module.css',
  'client/reviews/peer/ghost.module.css',
];

describe('Right to left', () => {
  test('no sheet names a side', () => {
    expect(sheets.length).toBeGreaterThan(5);
    const sided = all(sheets, physical).filter(
      (found) => !measured.some((path) => found.startsWith(`${path}:`) && found.includes(' inset: ')),
    );
    expect(sided).toEqual([]);
  });
  test('no component names a side', () => expect(all(components, physicalProps)).toEqual([]));

  test.each([
    'margin-left: 1px',
    'padding-right: 1px',
    'border-left: 1px solid',
    'left: 0',
    'right: auto',
    'text-align: left',
    'float: right',
    'border-top-left-radius: 1px',
    'margin: 0 1px 0 2px',
    'padding: 0 calc(1px + 2px) 0 var(--a)',
    'inset: 0 0 0 auto',
    'scroll-margin-left: 1px',
  ])('refused: %s', (css) => {
    expect(physical(`.a { ${css}; }`)).toEqual([`1: ${css}`]);
    expect(physical(`@media print {\n  .a:hover {\n    color: red;\n    ${css}\n  }\n}`)).toHaveLength(1);
  });
  test.each([
    'margin-inline-start: 1px',
    'padding-block: 1px',
    'inset-inline-end: 0',
    'text-align: start',
    'margin: 0 1px 0 1px',
    'margin: 0 1px',
    'padding: 0 max(1px, var(--a)) 0 max(1px, var(--a))',
    'padding-inline: env(safe-area-inset-left) env(safe-area-inset-right)',
    '/* left: 0 */ color: red',
    'border-end-start-radius: 1px',
    'grid-area: left',
    // A tick is drawn by two edges of a turned box.
    'border-width: 0 2px 2px 0',
  ])('allowed: %s', (css) => expect(physical(`.a { ${css}; } .left:hover { color: red; }`)).toEqual([]));

  test('refused and allowed in components', () => {
    const refused = [
      'style={{ marginLeft: 1 }}',
      '<Box ml="xs" />',
      '<Box pr={1} />',
      '<Text ta="left" />',
      "style={{ textAlign: 'right' }}",
    ];
    for (const tsx of refused) expect(physicalProps(tsx)).toHaveLength(1);
    for (const tsx of ['<Box ms="xs" />', 'style={{ marginInlineStart: 1 }}', 'const html = 1;'])
      expect(physicalProps(tsx)).toEqual([]);
  });
});

/**
 * Rules that style an element by asking `:has()` of one around it: the browser checks all of that content again on each
 * change, which in a long transcript takes as long as building it.
 */
const askedFromOutside = (css: string) =>
  [...blank(css).matchAll(/:has\((?:[^()]|\([^()]*\))*\)[^\s,{>+~]*\s*[\s>+~]\s*[^\s,{>+~]/g)].map(
    ({ 0: found, index }) => ({ line: blank(css).slice(0, index).split('\n').length, what: found }),
  );

describe('What is inside', () => {
  test('is never styled by a question about all of it', () => {
    expect(sheets.flatMap((path) => askedFromOutside(read(path)).map(({ line }) => `${path}:${line}`))).toEqual([]);
  });

  test.each([
    ['.a:has(> .b) > .c {', 1],
    ['.a:has(> .b) .c {', 1],
    ['.a:has([x="y"]):hover .c {', 1],
    ['.a:has(:not(.b)) + .c {', 1],
    ['.a:has(input:checked) {', 0],
    ['.a:has(.b > .c)::after {', 0],
    ['.a:has(.b),\n.c > .d {', 0],
  ])('%s', (css, count) => expect(askedFromOutside(css)).toHaveLength(count));
});

/** Marks over the text that every element of the page is asked for: a style is made for each of them, seen or not. */
const askedOfAll = (css: string) =>
  [...blank(css).matchAll(/^.*::highlight\(.*$/gm)]
    .map(([line]) => line.trim())
    .filter((line) => !line.includes(':is([data-spoken], [data-spoken] *)::highlight('));

describe('Marks over the text', () => {
  test('are asked for where words are, and nowhere else', () => {
    expect(sheets.flatMap((path) => askedOfAll(read(path)).map((line) => `${path}: ${line}`))).toEqual([]);
    expect(sheets.some((path) => read(path).includes('::highlight('))).toBe(true);
  });

  test.each([
    [':global(::highlight(comment)) {', 1],
    ['.pane ::highlight(played) {', 1],
    [':global(:is([data-spoken], [data-spoken] *)::highlight(comment)) {', 0],
  ])('%s', (css, count) => expect(askedOfAll(css)).toHaveLength(count));
});

describe('Colours', () => {
  test('come from the tokens', () => {
    expect(
      all(
        sheets.filter((path) => path !== 'client/ui/tokens.css'),
        ownColours,
      ),
    ).toEqual([]);
    expect(ownColours(read('client/ui/tokens.css')).length).toBeGreaterThan(5);
  });
  test.each([
    'color: #fff',
    'background: rgb(0 0 0)',
    'border: 1px solid #0B6B63',
    'box-shadow: 0 0 1px rgba(0, 0, 0, 0.5)',
  ])('refused: %s', (css) => {
    expect(ownColours(`.a { ${css}; }`)).toEqual([`1: ${css}`]);
  });
  test.each([
    'color: var(--ink)',
    'fill: currentColor',
    'background: url(#a)',
    'color: color-mix(in srgb, var(--accent) 16%, transparent)',
  ])('allowed: %s', (css) => {
    expect(ownColours(`.a { ${css}; }`)).toEqual([]);
  });
});

describe('Classes', () => {
  const uses = components.flatMap((path) => taken(read(path), dirname(path)));

  test('used by components exist', () => {
    expect(uses.length).toBeGreaterThan(5);
    const missing = uses.flatMap(({ sheet, names }) =>
      names.filter((name) => !classes(read(sheet)).includes(name)).map((name) => `${sheet} .${name}`),
    );
    expect(missing).toEqual([]);
  });
  test('that exist are used', () => {
    const modules = sheets.filter((path) => path.endsWith('.module.css'));
    const idle = modules.flatMap((sheet) => {
      const users = uses.filter((use) => use.sheet === sheet);
      if (users.some(({ computed }) => computed)) return [];
      const composed = [...read(sheet).matchAll(/composes:\s*([^;]+)/g)].flatMap(([, names = '']) =>
        names.split(/\s+/),
      );
      const names = new Set([...users.flatMap((use) => use.names), ...composed]);
      return classes(read(sheet))
        .filter((name) => !names.has(name))
        .map((name) => `${sheet} .${name}`);
    });
    expect(idle).toEqual([]);
  });

  test('are read from sheets and components', () => {
    const css =
      '.a:hover > .b-c { color: red; }\n@media (width > 1.5em) { .d::after { content: ".e"; } }\n:global(.f) .g {}\n.h { .i & { margin: 0.5px; } }';
    expect(classes(css)).toEqual(['a', 'b-c', 'd', 'g', 'h', 'i']);
    const tsx =
      "import styles from './x.module.css';\nimport more from '../y.module.css';\nstyles.a; styles['b-c']; more.z; more[size];";
    expect(taken(tsx, 'client/ui')).toEqual([
      { sheet: 'client/ui/x.module.css', names: ['a', 'b-c'], computed: false },
      { sheet: 'client/y.module.css', names: ['z'], computed: true },
    ]);
    expect(taken("import styles from './x.module.css';\n<Menu classNames={styles} />", 'client')[0]?.computed).toBe(
      true,
    );
  });
});
