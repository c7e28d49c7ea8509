import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { folders } from '#db/schema/library.ts';
import { pathTo, rootPath } from '#shared/library.ts';

export interface Folder {
  id: string;
  parentId: string | null;
  name: string;
  nameKey: string;
  /** Names from the top, its own last. */
  segments: readonly string[];
  path: string;
}

/** Folders of one person that are not deleted. Their number is bounded (folderLimits), so all are read at once. */
export interface Tree {
  /** Depth first: each folder follows its parent, siblings sorted by name. */
  readonly all: readonly Folder[];
  byId(id: string | null): Folder | undefined;
  /** `null` is the library itself, `undefined` a path without a folder. */
  at(path: string): Folder | null | undefined;
  children(of: Folder | null): readonly Folder[];
  /** A folder and all folders below it at any depth; for null, all folders. */
  below(folder: Folder | null): readonly Folder[];
  /** Number of levels from this folder down, itself counted. */
  height(folder: Folder): number;
}

type Row = Pick<typeof folders.$inferSelect, 'id' | 'parentId' | 'name' | 'nameKey'>;

export async function readTree(orm: Orm, ownerId: string): Promise<Tree> {
  const { id, parentId, name, nameKey } = folders;
  return treeOf(
    await orm
      .select({ id, parentId, name, nameKey })
      .from(folders)
      .where(and(eq(folders.ownerId, ownerId), isNull(folders.deletedAt))),
  );
}

export function treeOf(rows: readonly Row[]): Tree {
  const within = new Map<string | null, Row[]>();
  for (const row of rows) {
    const list = within.get(row.parentId);
    if (list) list.push(row);
    else within.set(row.parentId, [row]);
  }
  const order = (a: Row, b: Row) => (a.nameKey < b.nameKey ? -1 : 1);
  const all: Folder[] = [];
  const ids = new Map<string, Folder>();
  const paths = new Map<string, Folder>();
  const children = new Map<string | null, Folder[]>();
  // Only folders reachable from the top are visited, so a cycle in the table cannot make this run for ever.
  const add = (parent: Folder | null) => {
    const list = (within.get(parent?.id ?? null) ?? []).toSorted(order).map((row): Folder => {
      const segments = [...(parent?.segments ?? []), row.name];
      return { ...row, segments, path: pathTo(segments) };
    });
    children.set(parent?.id ?? null, list);
    for (const folder of list) {
      all.push(folder);
      ids.set(folder.id, folder);
      paths.set(folder.path, folder);
      add(folder);
    }
  };
  add(null);
  const tree: Tree = {
    all,
    byId: (id) => (id === null ? undefined : ids.get(id)),
    at: (path) => (path === rootPath ? null : paths.get(path)),
    children: (of) => children.get(of?.id ?? null) ?? [],
    below: (folder) => (folder ? [folder, ...tree.children(folder).flatMap((child) => tree.below(child))] : all),
    height: (folder) =>
      Math.max(...tree.below(folder).map(({ segments }) => segments.length)) - folder.segments.length + 1,
  };
  return tree;
}
