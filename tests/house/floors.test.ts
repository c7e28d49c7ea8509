// No two folders of a room import each other (docs/architecture.md, Floors): computed from the sources, beside the
// linter's rule for the order of floors, which knows only the folders that have one.
import { dirname, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { files, importsOf, read } from './files.ts';

type Arrow = readonly [from: string, to: string];

const rooms = ['client', 'db', 'server', 'shared', 'sync'];

/** Imports between files of the rooms. Tests do not count: they may use layers above what they test. */
function arrows(): Arrow[] {
  const sources = files().filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));
  const known = new Set(sources);
  return sources
    .filter((path) => rooms.includes(path.split('/')[0] ?? ''))
    .flatMap((from) =>
      importsOf(read(from)).flatMap((name): Arrow[] => {
        const to = name.startsWith('#') ? name.slice(1) : posix.join(dirname(from), name);
        return (name.startsWith('#') || name.startsWith('.')) && known.has(to) ? [[from, to]] : [];
      }),
    );
}

/** Circles of folders that lie beside each other, each as the shortest way round, with an import for every step. */
function circles(all: readonly Arrow[]): string[] {
  const byFolder = new Map<string, Map<string, Map<string, Arrow>>>();
  for (const arrow of all) {
    const [from, to] = arrow.map((path) => path.split('/')) as [string[], string[]];
    let depth = 0;
    while (depth < from.length - 1 && depth < to.length - 1 && from[depth] === to[depth]) depth += 1;
    const [above, below] = [from[depth], to[depth]];
    if (depth === 0 || depth >= from.length - 1 || depth >= to.length - 1 || !above || !below) continue;
    const base = from.slice(0, depth).join('/');
    const folders = byFolder.get(base) ?? new Map<string, Map<string, Arrow>>();
    const ways = folders.get(above) ?? new Map<string, Arrow>();
    byFolder.set(base, folders.set(above, ways.set(below, ways.get(below) ?? arrow)));
  }
  return [...byFolder].flatMap(([base, folders]) =>
    [...folders.keys()].flatMap((start) => {
      const back = wayBack(folders, start);
      // Reports each circle once, starting at its first folder.
      return back === null || back.some(([from]) => folderIn(base, from) < start)
        ? []
        : [`${base}: ${back.map(([from, to]) => `${from} -> ${to}`).join(', ')}`];
    }),
  );
}

const folderIn = (base: string, path: string): string => path.slice(base.length + 1).split('/')[0] ?? '';

function wayBack(folders: ReadonlyMap<string, ReadonlyMap<string, Arrow>>, start: string): Arrow[] | null {
  const ways = new Map<string, Arrow[]>([[start, []]]);
  for (const [at, way] of ways) {
    for (const [next, arrow] of folders.get(at) ?? []) {
      if (next === start) return [...way, arrow];
      if (!ways.has(next)) ways.set(next, [...way, arrow]);
    }
  }
  return null;
}

describe('Folders that lie beside each other', () => {
  const real = arrows();

  test('do not import each other, in any room', () => {
    expect(real.length).toBeGreaterThan(2000);
    expect(circles(real)).toEqual([]);
  });

  test('are found out when one import is turned round', () => {
    const chosen: readonly [from: string, to: string][] = [
      ['client/meetings/page/frame.tsx', 'client/meetings/annotations/annotations.tsx'],
      ['server/intake/create.ts', 'server/folders/places.ts'],
      ['shared/formats/write.ts', 'shared/meetings/words.ts'],
    ];
    for (const [from, to] of chosen) {
      const turned: Arrow = [to, from];
      expect(circles([...real, turned]).join('\n')).toContain(`${to} -> ${from}`);
    }
  });

  test('are found out in a circle of three, deep inside', () => {
    const three: Arrow[] = [
      ['client/x/a/1.ts', 'client/x/b/2.ts'],
      ['client/x/b/3.ts', 'client/x/c/deep/4.ts'],
      ['client/x/c/5.ts', 'client/x/a/6.ts'],
    ];
    expect(circles(three)).toEqual([
      'client/x: client/x/a/1.ts -> client/x/b/2.ts, client/x/b/3.ts -> client/x/c/deep/4.ts, client/x/c/5.ts -> client/x/a/6.ts',
    ]);
    expect(circles(three.slice(0, 2))).toEqual([]);
  });
});
