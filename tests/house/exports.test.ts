// An export that no other file reads is either dead, or says that it is used elsewhere when it is not.
import { expect, test } from 'vitest';
import { files, read } from './files.ts';

const declared =
  /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Lists each export, as `shared/ids.ts: newId`, whose name is in no other file that also names its file. */
function unread(sources: ReadonlyMap<string, string>): string[] {
  const words = new Map([...sources].map(([path, source]) => [path, new Set(source.match(/[\w$]+/g))]));
  return [...sources].flatMap(([path, source]) => {
    const readers = [...sources]
      .filter(([other, text]) => other !== path && text.includes(`/${nameOf(path)}`))
      .map(([other]) => words.get(other));
    return [...source.matchAll(declared)]
      .map(([, name = '']) => name)
      .filter((name) => !readers.some((reader) => reader?.has(name)))
      .map((name) => `${path}: ${name}`);
  });
}

test('every export is read by another file', () => {
  const one = `export const used = 1;\nexport const dead = 2;\nexport interface Own {}\nconst inside: Own = {};\n`;
  const sources = [
    ['shared/one.ts', one],
    ['server/two.ts', `import { used } from '#shared/one.ts';\nconsole.log(used);\n`],
    // The same word in a file that does not import ours.
    ['server/three.ts', `const dead = 1;\nconsole.log(dead);\n`],
  ] as const;
  expect(unread(new Map(sources))).toEqual(['shared/one.ts: dead', 'shared/one.ts: Own']);

  const ours = files().filter((path) => /\.(tsx?|mjs)$/.test(path) && !/^[\w-]+\.config\.ts$/.test(path));
  // drizzle-kit reads every table of these files.
  const problems = unread(new Map(ours.map((path) => [path, read(path)]))).filter(
    (problem) => !problem.startsWith('db/schema/'),
  );
  expect(problems).toEqual([]);
});
