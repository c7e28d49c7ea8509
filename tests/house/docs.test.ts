// Proves that `scripts/check-docs.ts` accepts the real documents, and that its rules refuse planted mistakes.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { configKeys } from '#server/config.ts';
import { configurationPage } from '../../scripts/configuration.ts';
import { anchorsIn, tooLong, wrongDecisions, wrongNames, type Facts } from '../../scripts/docs.ts';
import { read, root } from './files.ts';

const facts: Facts = {
  files: [
    'README.md',
    'package.json',
    'server/config.ts',
    'server/accounts/routes.ts',
    'docs/shell.png',
    'docs/notes.md',
  ],
  isIgnored: (path) => path === '.data',
  commands: ['check'],
  packages: ['hono'],
  anchorsOf: (path) => (path === 'docs/notes.md' ? ['b'] : ['e']),
};

test('the documents name only files, commands and packages that exist', async () => {
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', join(root, 'scripts/check-docs.ts')], {
    cwd: root,
  });
  const { stderr } = await run.catch((error: { stderr: string }) => error);
  expect(stderr).toBe('');
});

describe('A name in a document', () => {
  test.each([
    ['a file', 'See `server/config.ts`.'],
    ['a file at the root', '`package.json`'],
    ['a file somewhere below', '`routes.ts`'],
    ['a folder', '`server/` and `server/accounts`'],
    ['a pattern', '`server/*/routes.ts`, `server/**/routes.ts`'],
    ["a room's own name", '`#server/config.ts`'],
    ['what is made at run time', '`.data/`'],
    [
      'a link, a picture, a page elsewhere, a place on this page',
      '[a](server/config.ts) ![b](docs/shell.png) [c](https://a.example/b) [d](#e)',
    ],
    ['a link with a place', '[a](docs/notes.md#b)'],
    ['a picture in HTML', '<img src="docs/shell.png" alt="">'],
    ['a command', 'Run `npm run check`.'],
    [
      'a route, a package, a media type, code, a variable',
      '`/api/login` `hono/client` `text/html` `a.b()` `{id}` `DATA_DIR` `<meeting>/notes`',
    ],
    ['a path in a block of code', '```\ncd nowhere/at/all\n`server/nowhere.ts`\n```'],
  ])('may be %s', (_, text) => expect(wrongNames('README.md', text, facts)).toEqual([]));

  test.each([
    [
      'a file that is not there',
      'One.\n\nSee `server/nowhere.ts`.',
      'README.md:3 names server/nowhere.ts, which is not there',
    ],
    ['a folder that is not there', '`utils/`', 'README.md:1 names utils/, which is not there'],
    ['a lone file that is not there', '`NOTES.md`', 'README.md:1 names NOTES.md, which is not there'],
    ['a part of a name', '`server/accounts/route`', 'README.md:1 names server/accounts/route, which is not there'],
    [
      'a pattern that matches nothing',
      '`client/*/routes.ts`',
      'README.md:1 names client/*/routes.ts, which is not there',
    ],
    ["a room's name for what is not there", '`#db/open.ts`', 'README.md:1 names #db/open.ts, which is not there'],
    ['a link to nowhere', '[a](docs/nowhere.md)', 'README.md:1 links to docs/nowhere.md, which is not there'],
    ['a picture of nothing', '![a](docs/nowhere.png "b")', 'README.md:1 links to docs/nowhere.png, which is not there'],
    [
      'a picture of nothing in HTML',
      '<img src="docs/nowhere.png">',
      'README.md:1 links to docs/nowhere.png, which is not there',
    ],
    [
      'a place that a document does not have',
      '[a](docs/notes.md#e)',
      'README.md:1 links to docs/notes.md#e, a place which is not there',
    ],
    ['a place that this page does not have', '[a](#b)', 'README.md:1 links to #b, a place which is not there'],
    ['a way out of the project', '[a](../secret.md)', 'README.md:1 links to ../secret.md, which is not there'],
    [
      'a command nobody knows, in a block too',
      '```\nnpm run fly\n```',
      'README.md:2 names npm run fly, which package.json does not know',
    ],
    ['a line after a block', '```\na\n```\n`b/c.ts`', 'README.md:4 names b/c.ts, which is not there'],
  ])('may not be %s', (_, text, says) => expect(wrongNames('README.md', text, facts)).toEqual([says]));

  test('is looked for beside the document as well', () => {
    expect(wrongNames('docs/notes.md', '`shell.png` [a](../README.md) [b](shell.png)', facts)).toEqual([]);
    for (const elsewhere of ['[a](README.md)', '`routes.ts`'])
      expect(wrongNames('docs/notes.md', elsewhere, facts)).toHaveLength(1);
  });
});

test('A heading can be linked to by its words', () => {
  const text = "# Colloquy\n\n## Back up & restore\n\n```sh\n# no heading\n```\n\n### The page's `first` load\n";
  expect(anchorsIn(text)).toEqual(['colloquy', 'back-up--restore', 'the-pages-first-load']);
});

test('The README stays short', () => {
  expect(tooLong('a'.repeat(7 * 1024))).toEqual([]);
  expect(tooLong('ä'.repeat(4 * 1024))).toEqual([expect.stringContaining('README.md has more than 7168 bytes')]);
});

describe('A decision', () => {
  const page = (title: string) =>
    `# ${title}\n\n## Question\n\nA?\n\n## Choice\n\nB.\n\n## Why\n\nC.\n\n## What it costs\n\nD.\n`;
  const index = '- [001](001-one.md) One\n- [002](002-two.md) Two\n';

  test('has a number, four parts and an entry in the index', () => {
    expect(wrongDecisions({ '002-two.md': page('002: Two'), '001-one.md': page('001: One') }, index)).toEqual([]);
  });

  test.each([
    ['a wrong number in its name', '003-two.md', page('003: Two'), '003-two.md is not number 002'],
    ['a wrong number in its title', '002-two.md', page('003: Two'), '002-two.md is not number 002'],
    [
      'a part missing',
      '002-two.md',
      page('002: Two').replace('## Why\n\nC.\n\n', ''),
      '002-two.md does not have the parts Question, Choice, Why, What it costs',
    ],
    [
      'an empty part',
      '002-two.md',
      page('002: Two').replace('C.\n\n', ''),
      '002-two.md does not have the parts Question, Choice, Why, What it costs',
    ],
    ['another title in the index', '002-two.md', page('002: Three'), 'the index does not name 002-two.md'],
  ])('may not have %s', (_, name, text, says) =>
    expect(wrongDecisions({ '001-one.md': page('001: One'), [name]: text }, index)).toContain(says),
  );
});

describe('The page on the configuration', () => {
  const rows = (page: string) => [...page.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, key]) => key);

  test('is what server/config.ts says, with a row for each key that is read', () => {
    const page = configurationPage();
    expect(read('docs/configuration.md')).toBe(page);
    expect(rows(page).toSorted()).toEqual([...configKeys].toSorted());
  });

  test('shows the default that applies when a key is not set', () => {
    const keys = {
      PORT: z.string().transform(Number).default(3000).meta({ description: 'The port.' }),
      DEV: z.boolean().default(false).meta({ description: 'More.' }),
      HOST: z.string().optional().meta({ description: 'The host.', shownDefault: 'this machine' }),
      NAME: z.string().optional().meta({ description: 'The name.' }),
    };
    const page = configurationPage([{ title: 'Server', keys }]);
    expect(page.slice(page.indexOf('## Server')).split('\n').slice(4)).toEqual([
      '| `PORT` | `3000` | The port. |',
      '| `DEV` | `off` | More. |',
      '| `HOST` | this machine | The host. |',
      '| `NAME` |  | The name. |',
      '',
    ]);
  });

  test('takes no key without a description', () => {
    expect(() => configurationPage([{ title: 'Server', keys: { PORT: z.string() } }])).toThrow(
      'server/config.ts has no description of PORT',
    );
  });
});
