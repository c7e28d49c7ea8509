import { eq, inArray, or } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { glossaries } from '#db/schema/glossary.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { GlossaryKind } from '#shared/glossary.ts';
import { folderNeeds } from '#shared/library.ts';
import type { Person } from '../context.ts';
import { readLibraries, type Libraries, type Place } from '../folders/libraries.ts';
import { livingGroupsOf } from '../groups/members.ts';

// Glossaries that a person can read: their own, those of folders they see, and those of their groups. Every list, search
// and vocabulary is made of these.

type Whose = Pick<Person, 'id' | 'firstName' | 'lastName' | 'confirmed' | 'emailKey'>;

/** A glossary that a person can read, whether or not it has terms yet. */
export interface Scope {
  kind: GlossaryKind;
  /** Id of the person, folder or group. */
  id: string;
  name: string;
  mayAdd: boolean;
  /** Removes what others added, too. */
  rules: boolean;
}

const ofPerson = ({ id }: Whose): Scope => ({ kind: 'person', id, name: '', mayAdd: true, rules: true });

function ofFolder({ id }: Whose, folderId: string, { library, folder }: Place): Scope {
  const mayAdd = library.held(folder).has(folderNeeds.teach);
  return {
    ...{ kind: 'folder', id: folderId, name: folder?.name ?? library.name, mayAdd },
    rules: library.owner.id === id,
  };
}

async function ofGroups(orm: Orm, { id }: Whose): Promise<Scope[]> {
  return (await livingGroupsOf(orm, id)).map((group) => ({
    ...{ kind: 'group', id: group.id, name: group.name, mayAdd: true },
    rules: group.role === 'admin',
  }));
}

/** All that a person can read; of folders those that have a glossary. */
export async function scopesOf(orm: Orm, person: Whose): Promise<Scope[]> {
  const [libraries, groups] = [await readLibraries(orm, person), await ofGroups(orm, person)];
  const seen = [libraries.own, ...libraries.shared].flatMap((library) => [
    ...(library.sid === null ? [] : [library.sid]),
    ...library.tree.all.map(({ id }) => id),
  ]);
  const rows =
    seen.length === 0
      ? []
      : await orm.select({ id: glossaries.folderId }).from(glossaries).where(inArray(glossaries.folderId, seen));
  const having = new Set(rows.map(({ id }) => id));
  return [
    ofPerson(person),
    ...foldersIn(
      person,
      libraries,
      seen.filter((id) => having.has(id)),
    ),
    ...groups,
  ];
}

const foldersIn = (person: Whose, { byId }: Libraries, ids: readonly string[]): Scope[] =>
  ids.flatMap((id) => {
    const place = byId(id);
    return place ? [ofFolder(person, id, place)] : [];
  });

/** The one of this kind and id; undefined for one that the person cannot read. */
export async function scopeOf(orm: Orm, person: Whose, kind: GlossaryKind, id: string): Promise<Scope | undefined> {
  if (kind === 'person') return id === person.id ? ofPerson(person) : undefined;
  if (kind === 'group') return (await ofGroups(orm, person)).find((one) => one.id === id);
  return foldersIn(person, await readLibraries(orm, person), [id])[0];
}

/** Those that apply to a recording for a person: their own, those of its folders from the inside out, of their groups. */
export async function scopesAt(orm: Orm, person: Whose, meetingId: string): Promise<Scope[]> {
  const [meeting] = await orm.select({ folderId: meetings.folderId }).from(meetings).where(eq(meetings.id, meetingId));
  const libraries = await readLibraries(orm, person);
  const chain: string[] = [];
  for (let id = meeting?.folderId ?? null; id !== null;) {
    const place: Place | undefined = libraries.byId(id);
    if (!place) break;
    chain.push(id);
    const { library, folder } = place;
    id = folder === null ? null : (folder.parentId ?? library.sid);
  }
  return [ofPerson(person), ...foldersIn(person, libraries, chain), ...(await ofGroups(orm, person))];
}

/** The owner of a recording, as one who reads glossaries. */
export async function ownerOf(orm: Orm, meetingId: string): Promise<Whose | undefined> {
  const [row] = await orm
    .select({
      ...{ id: users.id, firstName: users.firstName, lastName: users.lastName },
      ...{ emailKey: users.emailKey, confirmedAt: users.confirmedAt },
    })
    .from(meetings)
    .innerJoin(users, eq(users.id, meetings.ownerId))
    .where(eq(meetings.id, meetingId));
  return row && { ...row, confirmed: row.confirmedAt !== null };
}

/** Condition on the rows of these glossaries. */
export const among = (scopes: readonly Scope[]) => {
  const ids = (kind: GlossaryKind) => scopes.flatMap((one) => (one.kind === kind ? [one.id] : []));
  return or(
    inArray(glossaries.userId, ids('person')),
    inArray(glossaries.folderId, ids('folder')),
    inArray(glossaries.groupId, ids('group')),
  );
};
