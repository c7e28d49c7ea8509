import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { intakes, uploads } from '#db/schema/intake.ts';
import { folderAccess } from '#db/schema/library.ts';
import { meetings } from '#db/schema/meetings.ts';
import { liveRecordings } from '#db/schema/recorder.ts';
import { lifetimes } from '#shared/accounts.ts';
import type { Legacy, Others, SharedRecordingsView } from '#shared/leaving.ts';
import { Problem, type FieldError } from '#shared/problems.ts';
import { inPerson, type Ctx, type Signed } from '../context.ts';
import { queueMail } from '../mail/queue.ts';
import { acquaintancesOf, peopleById } from '../sharing/acl.ts';
import { holdSharing, raiseVersion } from '../sharing/change.ts';
import { dropRow, putRow, type AccessRow } from '../sharing/rows.ts';

/** A recording of the person that others have access to, with the people who can become its owner. */
interface Found {
  id: string;
  title: string;
  /** Ids of everybody with an account who has access. */
  people: string[];
  waiting: number;
  link: boolean;
  heirs: { id: string; name: string; email: string; emailKey: string }[];
}

/**
 * Recordings that others can read: by name, by an address, a group, a link, or a folder. Anybody of them whom the person
 * knows can become the owner.
 */
async function sharedBy(tx: Orm, personId: string): Promise<Found[]> {
  const rows = await tx.execute<{ id: string; title: string; people: string[]; waiting: number; link: boolean }>(sql`
    with mine as (
      select m.id, m.folder_id, coalesce(nullif(p.title, ''), i.title, '') as title from meetings m
      left join intakes i on i.meeting_id = m.id left join meeting_projections p on p.meeting_id = m.id
      where m.owner_id = ${personId} and m.deleted_at is null and coalesce(i.state, '') <> 'created'
    ), entries as (
      select m.id, m.title, a.kind, a.principal_id from mine m join meeting_access a on a.meeting_id = m.id
      where 'read' = any(a.permissions) and (a.expires_at is null or a.expires_at > now())
      union
      select m.id, m.title, a.kind, a.principal_id from mine m cross join lateral folders_above(m.folder_id) f
      join folder_access a on a.folder_id = f.id where m.folder_id is not null and 'read' = any(a.permissions)
      union
      select m.id, m.title, 'user', f.owner_id from mine m join folders f on f.id = m.folder_id and f.deleted_at is null
    ), holders as (
      -- Once for each of them, not for each recording.
      select e.kind, e.principal_id, array(
        select p.id from people_of_entry(e.kind, e.principal_id) p where p.id <> ${personId}
      ) as people
      from (select distinct kind, principal_id from entries) e
      where e.kind <> 'group' or exists (select 1 from groups g where g.id = e.principal_id and g.archived_at is null)
    ), shared as (
      select e.id, e.title, array_agg(distinct one) filter (where one is not null) as people,
        (count(distinct e.principal_id) filter (where e.kind = 'pending' and one is null))::int as waiting,
        bool_or(e.kind = 'anonymous') as link
      from entries e join holders h on h.kind = e.kind and h.principal_id = e.principal_id
      left join lateral unnest(h.people) one on true group by e.id, e.title
    )
    select id, title, coalesce(people, '{}') as people, waiting, link from shared s
    where s.people is not null or s.waiting > 0 or s.link order by title, id`);
  if (rows.length === 0) return [];
  const known = (await acquaintancesOf(tx, personId)).map(({ id, email, emailKey, firstName, lastName }) => ({
    id,
    name: `${firstName} ${lastName}`.trim(),
    email,
    emailKey,
  }));
  return [...rows].map((row) => ({ ...row, heirs: known.filter(({ id }) => row.people.includes(id)) }));
}

const viewOf = (found: readonly Found[]): SharedRecordingsView => ({
  recordings: found.map(({ id, title, people, waiting, link, heirs }) => ({
    id,
    title,
    people: people.length,
    waiting,
    link,
    heirs: heirs.map(({ id: heir, name, email }) => ({ id: heir, name, email })),
  })),
  digest: digestOf(found),
});

const digestOf = (found: readonly Found[]): string => {
  const ids = found.map(({ id }) => id).toSorted();
  return createHash('sha256').update(ids.join(',')).digest('hex');
};

export async function listShared(ctx: Ctx): Promise<SharedRecordingsView> {
  const { person } = inPerson(ctx);
  return viewOf(await sharedBy(ctx.db.orm, person.id));
}

/**
 * Gives recordings to new owners before their owner's account is deleted, and notifies the people who get or lose one.
 * Refused unless it was decided for each recording that others have access to, so that none is lost unknowingly.
 */
export async function handOver(ctx: Signed, tx: Orm, legacy: Legacy, others?: Others): Promise<void> {
  const found = await sharedBy(tx, ctx.person.id);
  const byId = new Map(found.map((one) => [one.id, one]));
  const named = new Set(legacy.map(({ id }) => id));
  const unnamed = found.filter(({ id }) => !named.has(id));
  // As many could still be others: one shared no more, and another shared since.
  if (unnamed.length !== (others?.count ?? 0) || (others && others.digest !== digestOf(found)))
    throw new Problem('CONFLICT', {
      message: 'Others have access to some of your recordings. Give each to somebody, or delete it',
      info: { reason: 'SHARED_RECORDINGS', ...viewOf(found) },
    });
  const given = new Map<string, Found[]>();
  const lost = new Map<string, Found[]>();
  const add = (to: Map<string, Found[]>, personId: string, one: Found) => {
    const all = to.get(personId);
    if (all) all.push(one);
    else to.set(personId, [one]);
  };
  const wrong = new Set<string>();
  const decisions = [
    ...legacy.map(({ id, to }, at) => ({ id, to, field: `recordings.${at}.to` })),
    ...unnamed.map(({ id }) => ({ id, to: others?.to ?? null, field: 'others.to' })),
  ];
  for (const { id, to, field } of decisions) {
    const one = byId.get(id);
    const heir = one?.heirs.find((other) => other.id === to);
    if (to !== null && !heir) wrong.add(field);
    else if (one && heir) add(given, heir.id, one);
    else for (const reader of one?.people ?? []) add(lost, reader, one as Found);
  }
  if (wrong.size > 0) {
    const errors: FieldError[] = [...wrong].slice(0, 50).map((field) => ({ field, code: 'unknown' }));
    throw new Problem('INVALID', { errors });
  }

  const gifts = [...given].flatMap(([heirId, all]) => all.map((one) => ({ heirId, one })));
  // In one order, so that two who leave at the same moment do not wait for each other.
  for (const { heirId, one } of gifts.toSorted((a, b) => (a.one.id < b.one.id ? -1 : 1))) {
    const heir = one.heirs.find(({ id }) => id === heirId);
    if (heir) await give(ctx, tx, one.id, heir);
  }
  for (const [kind, people] of [
    ['recordings-given', given],
    ['recordings-gone', lost],
  ] as const)
    await notify(ctx, tx, kind, people);
}

/** Makes a person the owner. Everybody else keeps the access they have, also by a folder that goes with the account. */
async function give(ctx: Signed, tx: Orm, id: string, heir: { id: string; emailKey: string }): Promise<void> {
  const shared = { kind: 'meeting', id } as const;
  const { rows } = await holdSharing(ctx, tx, id);
  const byFolder = await tx
    .select({ entry: folderAccess })
    .from(folderAccess)
    .innerJoin(meetings, eq(meetings.id, id))
    .where(
      sql`${folderAccess.folderId} in (select f.id from folders_above(${meetings.folderId}) f where f.owner_id = ${ctx.person.id})`,
    );
  const noLink = { codeHash: null, codeId: null, expiresAt: null };
  const entries = new Map<string, AccessRow>(rows.map((row) => [`${row.kind} ${row.principalId}`, row]));
  for (const { entry } of byFolder) {
    const { folderId: _, permissions, ...named } = entry;
    // People who declined the folder have no access by it.
    if (named.kind === 'declined') continue;
    const key = `${named.kind} ${named.principalId}`;
    const before = entries.get(key) ?? { ...named, ...noLink, permissions: [] };
    const row = {
      ...before,
      permissions: [...new Set([...before.permissions, ...permissions.filter((one) => one !== 'upload')])],
    };
    entries.set(key, row);
    await putRow(tx, shared, row);
  }
  await dropRow(tx, shared, { kind: 'user', principalId: heir.id });
  for (const kind of ['pending', 'declined']) await dropRow(tx, shared, { kind, principalId: heir.emailKey });
  // A folder of the person goes with the account; in a folder of somebody else the recording stays.
  await tx
    .update(meetings)
    .set({
      ownerId: heir.id,
      folderId: sql`(select f.id from folders f where f.id = ${meetings.folderId} and f.owner_id <> ${ctx.person.id})`,
    })
    .where(eq(meetings.id, id));
  await tx.update(intakes).set({ ownerId: heir.id }).where(eq(intakes.meetingId, id));
  await tx.update(uploads).set({ ownerId: heir.id }).where(eq(uploads.meetingId, id));
  await tx.update(liveRecordings).set({ personId: heir.id }).where(eq(liveRecordings.meetingId, id));
  await raiseVersion(ctx, tx, id);
}

/** Sends each person one mail about all recordings. */
async function notify(
  ctx: Signed,
  tx: Orm,
  kind: 'recordings-given' | 'recordings-gone',
  people: ReadonlyMap<string, readonly Found[]>,
): Promise<void> {
  const { firstName, lastName } = ctx.person;
  const owner = `${firstName} ${lastName}`.trim();
  for (const { id, email, language } of await peopleById(tx, [...people.keys()])) {
    const titles = (people.get(id) ?? []).map(({ title }) => title);
    await queueMail(ctx, tx, { to: email, language, mail: { kind, owner, titles }, lifetime: lifetimes.notice });
  }
}
