// The shape of the house: which folders there are, how files are called, and what no file may say. Each rule is shown
// what it must refuse before it is asked about the real tree.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { files, read, root } from './files.ts';

const rooms = new Set(['shared', 'db', 'sync', 'server', 'client', 'scripts', 'tests']);
const folders = new Set([...rooms, 'public', 'docs', '.ci', '.github']);
const atRoot =
  /^(\.[\w.]+|[A-Z]+\.md|LICENSE|index\.html|(package|package-lock|tsconfig)\.json|[a-z]+\.config\.ts|Dockerfile|compose\.yaml)$/;
/** Words that say nothing about what is inside. */
const emptyWords = /^(utils?|helpers?|services?|types?|lib|libs|common|misc|core)$/;

interface Rule<On> {
  name: string;
  wrong: (on: On) => boolean;
  refuses: On[];
  allows: On[];
}

const parts = (path: string) => path.split('/');
const inFolders = (path: string) => parts(path).slice(0, -1);
const fileName = (path: string) => parts(path).at(-1) ?? '';

const paths: Rule<string>[] = [
  {
    name: 'a top folder is a room of the house',
    wrong: (path) => (path.includes('/') ? !folders.has(parts(path)[0] ?? '') : !atRoot.test(path)),
    refuses: ['src/app.ts', 'lib/a.ts', 'notes.txt', 'a.ts'],
    allows: ['server/app.ts', 'package.json', 'README.md', 'vite.config.ts', '.oxlintrc.json'],
  },
  {
    name: 'a folder is called by its capability',
    wrong: (path) => inFolders(path).some((folder) => emptyWords.test(folder)),
    refuses: ['server/utils/a.ts', 'client/ui/helpers/a.tsx', 'shared/types/a.ts', 'server/services/a.ts'],
    allows: ['server/http/a.ts', 'client/accounts/a.tsx'],
  },
  {
    name: 'a file is called by what it does',
    wrong: (path) => /\.(tsx?|mjs)$/.test(path) && emptyWords.test(fileName(path).split('.')[0] ?? ''),
    refuses: ['server/utils.ts', 'client/helpers.test.ts', 'shared/types.ts'],
    allows: ['server/clock.ts', 'shared/accounts.ts'],
  },
  {
    name: 'there are no barrels',
    wrong: (path) => /^index\.(tsx?|m?js)$/.test(fileName(path)),
    refuses: ['client/index.ts', 'server/http/index.tsx', 'scripts/index.mjs'],
    allows: ['index.html', 'client/main.tsx'],
  },
  {
    // The walls know a room by its name in a path.
    name: 'only a room bears the name of a room',
    wrong: (path) =>
      inFolders(path)
        .slice(1)
        .some((folder) => rooms.has(folder)) && !/^(sync\/(client|server)|tests\/\w+)\//.test(path),
    refuses: ['server/db/a.ts', 'client/shared/a.ts', 'db/schema/server/a.ts'],
    allows: ['sync/server/door.ts', 'tests/sync/a.test.ts', 'server/http/a.ts'],
  },
  {
    name: 'names are small letters with hyphens',
    wrong: (path) =>
      parts(path).some((part) => !/^[a-z0-9.-]+$/.test(part) && !/^[A-Z]+\.md$|^LICENSE$|^Dockerfile$/.test(part)) &&
      !path.startsWith('db/migrations/'),
    refuses: ['client/AppLayout.tsx', 'server/mail_queue.ts', 'server/Mail/a.ts'],
    allows: ['client/app-layout.tsx', 'sync/SPEC.md', 'client/ui/app.module.css'],
  },
  {
    name: 'migrations are numbered and named',
    wrong: (path) =>
      path.startsWith('db/migrations/') &&
      !/^db\/migrations\/(\d{4}_[a-z][a-z0-9_]+\.sql|meta\/(\d{4}_snapshot|_journal)\.json)$/.test(path),
    refuses: [
      'db/migrations/accounts.sql',
      'db/migrations/1_a.sql',
      'db/migrations/0001.sql',
      'db/migrations/0001_Brave-Hulk.sql',
    ],
    allows: [
      'db/migrations/0000_accounts.sql',
      'db/migrations/meta/_journal.json',
      'db/migrations/meta/0000_snapshot.json',
    ],
  },
];

// Written apart, so that this file does not say what it forbids.
const word = (...letters: string[]) => letters.join('');
const texts: Rule<string>[] = [
  {
    name: 'nothing is left for later',
    wrong: (text) => /\b(T[O]DO|FI[X]ME|X{3}|HA[C]K)\b/.test(text),
    refuses: [`// ${word('TO', 'DO')}: more`, `/* ${word('FIX', 'ME')} */`, word('X', 'XX'), `# ${word('HA', 'CK')}`],
    allows: ['const todos = 1;', 'XXXL'],
  },
  {
    name: 'no check is switched off',
    wrong: (text) =>
      /\b(ox|es)lint-(dis)able|@ts-(no)check|@ts-(ig)nore|(prettier|oxfmt)-(ig)nore|\bas (a)ny\b/.test(text),
    refuses: ['oxlint', 'eslint']
      .map((tool) => `// ${tool}-${word('dis', 'able')}-next-line`)
      .concat([`@ts-${word('ig', 'nore')}`, `a as ${word('a', 'ny')}`, `/* prettier-${word('ig', 'nore')} */`]),
    allows: ['// @ts-check', 'as unknown'],
  },
  {
    name: 'no machine is named by its folders',
    wrong: (text) => /(?<![\w.$}])\/((home|Users)\/\w|work\/|root\/)|[A-Z]:\\\\?Users\\/.test(text),
    refuses: [
      `'${word('/ho', 'me/ann')}/a'`,
      ` ${word('/wo', 'rk')}/main`,
      `"${word('/Us', 'ers/ben')}"`,
      `${word('/ro', 'ot/')}a`,
    ],
    allows: ["'./home/home.tsx'", "import('./root.tsx')", '/tmp/', 'a/work/b', '${a}/home/b'],
  },
  {
    name: 'no registry is named',
    wrong: (text) =>
      /\b(registry|npm)\.[\w-]+\.(com|dev|io|net|org)\b|\b(verda[c]cio|arti[f]actory|npmm[i]rror)\b/i.test(text),
    refuses: [
      `https://registry.${word('npm', 'js')}.org/a`,
      `npm.pkg.${word('git', 'hub')}.com`,
      word('Verda', 'ccio'),
    ].map((host) => host.replace('npm.pkg.', 'npm.')),
    allows: ['house.metrics.registry.metrics()', 'registry.contentType'],
  },
  {
    name: 'no key is written down',
    wrong: (text) =>
      /-----BEGIN [A-Z ]*PRI[V]ATE KEY|\b(sk|rk)_live_[a-zA-Z0-9]{8}|\bAKIA[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30}/.test(
        text,
      ),
    refuses: [
      `-----BEGIN ${word('PRI', 'VATE')} KEY-----`,
      `${word('sk', '_live_')}abcdefgh1`,
      `${word('AK', 'IA')}ABCDEFGHIJKLMNOP`,
    ],
    allows: ['sk_test_a', 'PUBLIC KEY'],
  },
];

const tree = files();
const readable = tree.filter(
  (path) => !/\.(png|ico|webp|woff2?|jpg|mp3|wav|pdf|docx|zip)$/.test(path) && path !== 'package-lock.json',
);

describe.each(paths)('By their paths: $name', ({ wrong, refuses, allows }) => {
  test('the rule tells right from wrong', () => {
    expect(refuses.filter((path) => !wrong(path))).toEqual([]);
    expect(allows.filter(wrong)).toEqual([]);
  });
  test('the house keeps it', () => expect(tree.filter(wrong)).toEqual([]));
});

describe.each(texts)('By what they say: $name', ({ wrong, refuses, allows }) => {
  test('the rule tells right from wrong', () => {
    expect(refuses.filter((text) => !wrong(text))).toEqual([]);
    expect(allows.filter(wrong)).toEqual([]);
  });
  test('the house keeps it', () => {
    const lines = readable.flatMap((path) =>
      read(path)
        .split('\n')
        .map((line, index) => ({ at: `${path}:${index + 1}`, line })),
    );
    expect(lines.length).toBeGreaterThan(1000);
    expect(lines.filter(({ line }) => wrong(line)).map(({ at, line }) => `${at} ${line.trim()}`)).toEqual([]);
  });
});

test('migrations follow each other without a gap, and the journal names them all', () => {
  const named = tree
    .filter((path) => /^db\/migrations\/\d{4}_/.test(path))
    .map((path) => fileName(path).replace(/\.sql$/, ''));
  expect(named.map((name) => Number(name.slice(0, 4)))).toEqual(named.map((_, index) => index));
  const journal = JSON.parse(read('db/migrations/meta/_journal.json')) as { entries: { tag: string }[] };
  expect(journal.entries.map(({ tag }) => tag)).toEqual(named);
});

test('every test belongs to a part that `npm test` or `npm test -- deep` runs', async () => {
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'list', '--filesOnly'];
  const env = { ...process.env, TEST_DEEP: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  const run = stdout.split('\n').flatMap((line) => /^\[[\w-]+\] (.+)$/.exec(line)?.[1] ?? []);
  expect([...new Set(run)].toSorted()).toEqual(tree.filter((path) => /\.(test|spec)\.\w+$/.test(path)));
});
