import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import type { PlaceAt } from '#shared/folders.ts';
import { pathTo, segmentsOf } from '#shared/library.ts';
import { permissions, permissionsOf, type Permission } from '#shared/roles.ts';
import type { Person } from '../context.ts';
import { readTree, treeOf, type Folder, type Tree } from './tree.ts';

/** A person's own folders, or a folder that somebody shared with them, with everything in it. */
interface Library {
  /** Id of the shared folder at the top; null: the person's own library. */
  sid: string | null;
  /** Name of the shared folder. */
  name: string;
  owner: { id: string; name: string };
  /** Shared with the person by name, not only through a group, so they can leave it. */
  named: boolean;
  /** Folders below the top. */
  tree: Tree;
  /** Permissions of the person on a folder of the library and its contents; null is the top. */
  held(folder: Folder | null): ReadonlySet<Permission>;
}

/** A folder, or with null the top of its library. */
export interface Place {
  library: Library;
  folder: Folder | null;
}

export interface Libraries {
  own: Library;
  /** Sorted by the name of the owner, then of the folder. */
  shared: readonly Library[];
  /** Ids of the person's own folders that are shared with other people. */
  given: ReadonlySet<string>;
  byId(id: string): Place | undefined;
}

type Whose = Pick<Person, 'id' | 'firstName' | 'lastName' | 'confirmed' | 'emailKey'>;
const nameOf = (first: string, last: string): string => `${first} ${last}`.trim();
const all: ReadonlySet<Permission> = new Set(permissions);

/** All folders a person sees, with their permissions: the rule of `accessesOf`, for folders instead of meetings. */
export async function readLibraries(orm: Orm, person: Whose): Promise<Libraries> {
  const [tree, shared, given] = [
    await readTree(orm, person.id),
    await readShared(orm, person),
    await orm.execute<{ id: string }>(sql`
      select f.id from folders f where f.owner_id = ${person.id} and f.deleted_at is null
        and exists (select 1 from folder_access a where a.folder_id = f.id and a.kind <> 'declined' offset 0)`),
  ];
  const owner = { id: person.id, name: nameOf(person.firstName, person.lastName) };
  const own: Library = { sid: null, name: '', owner, named: false, tree, held: () => all };
  const places = new Map<string, Place>();
  for (const library of [own, ...shared]) {
    if (library.sid !== null) places.set(library.sid, { library, folder: null });
    for (const folder of library.tree.all) places.set(folder.id, { library, folder });
  }
  return { own, shared, given: new Set([...given].map(({ id }) => id)), byId: (id) => places.get(id) };
}

interface Row {
  id: string;
  parent_id: string | null;
  name: string;
  name_key: string;
  owner_id: string;
  first_name: string;
  last_name: string;
  granted: string[] | null;
  named: boolean;
}

/** Conditions on `folder_access a`: rows that name the person, and rows that name a group of theirs. */
const byName = (id: string, address: string) =>
  sql`((a.kind = 'user' and a.principal_id = ${id}) or (a.kind = 'pending' and a.principal_id = ${address}))`;
const byGroup = (id: string) => sql`(a.kind = 'group' and a.principal_id in (select g.id from groups_of(${id}) g))`;

// Sharing with an address applies only to the account that has confirmed the address.
const addressOf = ({ confirmed, emailKey }: Whose): string => (confirmed ? emailKey : '');

/**
 * Permissions that a folder itself grants a person, even while it is deleted; the folders above it are not considered.
 */
export async function grantedOn(orm: Orm, person: Whose, folderId: string): Promise<ReadonlySet<Permission>> {
  const rows = await orm.execute<{ permission: string }>(sql`
    select distinct p as permission from folder_access a cross join unnest(a.permissions) p
    where a.folder_id = ${folderId} and (${byName(person.id, addressOf(person))} or ${byGroup(person.id)})`);
  const named = [...rows].map(({ permission }) => permission);
  return permissionsOf({ owner: false, named, anonymous: [], signedIn: true });
}

async function readShared(orm: Orm, person: Whose): Promise<Library[]> {
  const { id } = person;
  const address = addressOf(person);
  // Lateral joins look up each folder by its key; `offset 0` keeps the planner from scanning the folders of everybody.
  const rows = [
    ...(await orm.execute<Row & Record<string, unknown>>(sql`
      select f.*, u.first_name, u.last_name, (
        select array_agg(p) from folder_access a cross join unnest(a.permissions) p
        where a.folder_id = f.id and (${byName(id, address)} or ${byGroup(id)})) as granted,
        exists (select 1 from folder_access a where a.folder_id = f.id and ${byName(id, address)}) as named
      from folders_shared_with(${id}, ${address}) s
      join lateral (
        select id, parent_id, name, name_key, owner_id from folders where folders.id = s.id offset 0
      ) f on true
      join lateral (select first_name, last_name from users where users.id = f.owner_id offset 0) u on true`)),
  ];
  const seen = new Map(rows.map((row) => [row.id, row]));
  const held = new Map<string, ReadonlySet<Permission>>();
  const heldOn = (row: Row): ReadonlySet<Permission> => {
    const known = held.get(row.id);
    if (known) return known;
    const above = row.parent_id === null ? undefined : seen.get(row.parent_id);
    const named = [...(row.granted ?? []), ...(above ? heldOn(above) : [])];
    const own = permissionsOf({ owner: false, named, anonymous: [], signedIn: true });
    held.set(row.id, own);
    return own;
  };
  const within = new Map<string, Row[]>();
  for (const row of rows)
    if (row.parent_id !== null) within.set(row.parent_id, [...(within.get(row.parent_id) ?? []), row]);
  const below = (top: Row): Row[] => (within.get(top.id) ?? []).flatMap((row) => [row, ...below(row)]);
  const order = (a: Row, b: Row) => (keyOf(a) < keyOf(b) ? -1 : 1);
  return rows
    .filter((row) => (row.parent_id === null || !seen.has(row.parent_id)) && heldOn(row).has('read'))
    .toSorted(order)
    .map((top) => ({
      sid: top.id,
      name: top.name,
      owner: { id: top.owner_id, name: nameOf(top.first_name, top.last_name) },
      named: top.named,
      tree: treeOf(
        below(top).map(({ id: one, parent_id: parentId, name, name_key: nameKey }) => ({
          id: one,
          parentId: parentId === top.id ? null : parentId,
          name,
          nameKey,
        })),
      ),
      held: (folder) => heldOn((folder && seen.get(folder.id)) ?? top),
    }));
}

const keyOf = ({ first_name: first, last_name: last, name_key: key, id }: Row) =>
  [nameOf(first, last).toLowerCase(), key, id].join('\n');

/**
 * The place at a path: from the top of the person's own library, or below the folder `sid`. With `sid` in their own
 * library, a path from the top counts too if no folder below has that path, because lists give it beside `sid`.
 */
export function findPlace({ own, byId }: Libraries, { path, sid }: PlaceAt): Place | undefined {
  if (!sid) {
    const folder = own.tree.at(path);
    return folder === undefined ? undefined : { library: own, folder };
  }
  const top = byId(sid);
  if (!top) return undefined;
  const { library } = top;
  const { tree } = library;
  const below = tree.at(pathTo([...(top.folder?.segments ?? []), ...segmentsOf(path)]));
  if (below !== undefined) return { library, folder: below };
  const folder = library === own ? tree.at(path) : undefined;
  return folder && tree.below(top.folder).includes(folder) ? { library, folder } : undefined;
}

/** Folder id stored with the contents of a place; null is the top of the person's own library. */
export const idOf = ({ library, folder }: Place): string | null => folder?.id ?? library.sid;

/** A folder and all folders below it at any depth, itself first. */
export const belowPlace = ({ library, folder }: Place): Place[] => [
  { library, folder },
  ...library.tree.below(folder).flatMap((one) => (one === folder ? [] : [{ library, folder: one }])),
];
