import { eq } from 'drizzle-orm';
import { accessesByIdOf } from '#db/access.ts';
import { rooms } from '#db/schema/rooms.ts';
import { parts, type Part } from '#shared/meetings/parts.ts';
import { Problem } from '#shared/problems.ts';
import { roomRights } from '#shared/roles.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { Ctx, House } from '../context.ts';

const ticketSeconds = 300;

/**
 * Issues a ticket for one room to a program or a browser without our cookie: for this caller, for five minutes, for any
 * number of connections.
 */
export async function issueTicket(ctx: Ctx, input: { room: string }): Promise<{ ticket: string }> {
  const [id = '', name = '', rest] = input.room.split('/');
  const part = parts.find((one) => one === name);
  if (!part || rest !== undefined) throw new Problem('NO_ACCESS');
  const userId = ctx.person?.id ?? null;
  const asked = [{ meetingId: id, userId, browser: ctx.browser ?? null }];
  const [access] = await ctx.db.ask((sql) => accessesByIdOf(sql, asked));
  if (!access) throw new Problem('NO_ACCESS');
  const { meetingId, layerId, held } = access;
  if (!roomRights(part, held, userId !== null, layerId === null ? 'meeting' : 'layer').read)
    throw new Problem('NO_ACCESS');
  const [row] = await ctx.db.orm
    .select({ generation: rooms.generation })
    .from(rooms)
    .where(eq(rooms.name, roomName(meetingId, part, part === 'layer' ? layerId : userId)));
  const { token } = await ctx.keys.sign('ticket', userId ?? '', ticketSeconds, {
    room: `${id}/${part}`,
    name: ctx.person ? `${ctx.person.firstName} ${ctx.person.lastName}`.trim() : '',
    hangsOn: hangsOn(ctx),
    browser: ctx.browser ?? null,
    // A client with the document of an older generation must not merge it into the new one.
    generation: row?.generation ?? 1,
  });
  return { ticket: token };
}

/** The session or token whose end closes a socket. */
export function hangsOn(ctx: Pick<Ctx, 'proof'>): string | null {
  if (!ctx.proof) return null;
  return ctx.proof.kind === 'session' ? ctx.proof.sessionId : ctx.proof.tokenId;
}

interface TicketHolder {
  userId: string | null;
  name: string;
  hangsOn: string | null;
  browser: string | null;
  generation: number;
}

/**
 * Reads a ticket; null if it is invalid, expired or for another room. The session is checked when the socket is
 * admitted.
 */
export async function readTicket(house: House, ticket: string, id: string, part: Part): Promise<TicketHolder | null> {
  const signed = await house.keys.verify('ticket', ticket);
  if (!signed || signed.claims['room'] !== `${id}/${part}`) return null;
  const { name, hangsOn: session, browser, generation } = signed.claims;
  return {
    userId: signed.subject === '' ? null : signed.subject,
    name: typeof name === 'string' ? name : '',
    hangsOn: typeof session === 'string' ? session : null,
    browser: typeof browser === 'string' ? browser : null,
    generation: Number(generation),
  };
}
