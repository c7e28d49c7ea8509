import type { Holder } from '#db/access.ts';
import { newId } from '#shared/ids.ts';
import type { Permission } from '#shared/roles.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import type { SharedHouse } from './house.ts';
import type { Person } from './people.ts';

/** Only who signed in over the API has to be asked for. */
const idOf = async (person: Person): Promise<string> => person.id || (await person.whoami()).body.principal.id;

/** Creates a meeting straight in the tables; uploads have tests of their own. */
export async function makeMeeting(house: SharedHouse, owner: Person): Promise<string> {
  const id = newId();
  await house.database.orm.insert(meetings).values({ id, ownerId: await idOf(owner) });
  return id;
}

export async function share(
  house: SharedHouse,
  meetingId: string,
  person: Person | 'anonymous',
  permissions: readonly Permission[],
): Promise<void> {
  const principalId = person === 'anonymous' ? '' : await idOf(person);
  const kind = person === 'anonymous' ? 'anonymous' : 'user';
  await house.database.orm
    .insert(meetingAccess)
    .values({
      meetingId,
      kind,
      principalId,
      permissions: [...permissions],
      seenAt: kind === 'user' ? new Date() : null,
    })
    .onConflictDoUpdate({
      target: [meetingAccess.meetingId, meetingAccess.kind, meetingAccess.principalId],
      set: { permissions: [...permissions] },
    });
}

export async function ticketFor(person: Person, room: string): Promise<string> {
  const answer = await person.post('/api/sync/tickets', { room });
  if (answer.status !== 200) throw new Error(`no ticket: ${answer.text}`);
  return answer.body.ticket;
}

/** The session of a signed-in owner, which a write requires. */
export async function ownerOf(house: SharedHouse, meetingId: string, owner: Person): Promise<Holder> {
  const [signedIn] = await house.database.sql<{ hash: Buffer }[]>`
    select hash from sessions where user_id = ${owner.id}`;
  if (!signedIn) throw new Error('nobody is signed in');
  const held = new Set<Permission>(['read', 'write', 'own']);
  return { meetingId, userId: owner.id, browser: null, proof: { session: signedIn.hash }, held };
}
