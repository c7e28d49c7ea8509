import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq } from 'drizzle-orm';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { users } from '#db/schema/accounts.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import type { Permission } from '#shared/roles.ts';
import { close, readFrame, writeFrame, type Frame } from '#sync/protocol.ts';
import { Editor, difference, settled, stored, synced, typedBy, typing, until } from './editors.ts';
import { openHouse } from './house.ts';
import { makeMeeting, share, ticketFor } from './meetings.ts';
import type { Person } from './people.ts';
import { openProcess } from './processes.ts';

/** Effect of one revoked permission; times are milliseconds after the person who revoked it had the answer. */
interface Revoked {
  kind: string;
  /** Time of the last byte received; null if the person may continue to read. */
  received: number | null;
  /** Time at which the last stored text was sent. */
  written: number;
  /** How the line ended: close codes other than "come again", or the status at the door. */
  ends: number[];
}

interface Victim {
  person: Person;
  meeting: string;
  /** Id of the API token with which the person connected. */
  tokenId: string;
}

/**
 * A client that ignores every hint: it keeps writing, brings all its changes when it reconnects, and reconnects until
 * it is refused. The good manners of our own client must not be what is measured.
 */
class Stubborn {
  readonly ends: number[] = [];
  /** Time of the last byte received. */
  heard = 0;
  denied = false;
  over = false;
  synced = false;
  /** Whether any of its changes are durable. */
  saved = false;
  private readonly doc = new Y.Doc();
  private readonly tokens: { token: string; clock: number; sentAt: number }[] = [];
  private readonly address: string;
  private ws!: WebSocket;

  constructor(address: string) {
    this.address = address;
    this.open();
  }

  private open(): void {
    const ws = (this.ws = new WebSocket(this.address, { perMessageDeflate: false }));
    const again = () => void sleep(20).then(() => this.over || this.open());
    ws.on('message', (bytes: Buffer) => {
      this.heard = performance.now();
      this.take(readFrame(bytes));
    });
    ws.on('close', (code) => {
      if (code === close.restart) return again();
      this.ends.push(code);
      this.over = true;
    });
    ws.on('unexpected-response', (_request, answer) => {
      const status = answer.statusCode ?? 0;
      ws.removeAllListeners('close');
      ws.terminate();
      if (status === 503 || status === 429) return again();
      this.ends.push(status);
      this.over = true;
    });
    ws.on('error', () => {});
  }

  private take(frame: Frame): void {
    if (frame.kind === 'state' || frame.kind === 'update') Y.applyUpdate(this.doc, frame.update);
    if (frame.kind === 'state') this.synced = true;
    if (frame.kind === 'auth') this.denied = true;
    if (frame.kind === 'saved') this.saved ||= frame.count > 1;
    if (frame.kind !== 'ask') return;
    const theirs = Y.decodeStateVector(frame.stateVector).get(this.doc.clientID) ?? 0;
    for (const one of this.tokens) if (one.clock >= theirs) one.sentAt = performance.now();
    this.ws.send(writeFrame({ kind: 'state', update: Y.encodeStateAsUpdate(this.doc, frame.stateVector) }));
    if (!this.synced) this.ws.send(writeFrame({ kind: 'ask', stateVector: Y.encodeStateVector(this.doc) }));
  }

  type(): void {
    const before = Y.encodeStateVector(this.doc);
    const clock = Y.getState(this.doc.store, this.doc.clientID);
    const token = `${this.doc.clientID}.${this.tokens.length}`;
    this.doc.getText('text').insert(0, `[${token}]`);
    this.tokens.push({ token, clock, sentAt: performance.now() });
    if (this.ws.readyState === WebSocket.OPEN)
      this.ws.send(writeFrame({ kind: 'update', update: Y.encodeStateAsUpdate(this.doc, before) }));
  }

  /** Time at which the last token found in the text was sent; 0 if there is none. */
  lastWritten(text: string): number {
    return this.tokens.findLast(({ token }) => text.includes(`[${token}]`))?.sentAt ?? 0;
  }

  leave(): void {
    this.over = true;
    this.ws.removeAllListeners('close');
    this.ws.terminate();
    this.doc.destroy();
  }
}

const writer: Permission[] = ['read', 'comment', 'write', 'discover'];

/** Starts two processes for live editing and a third for the API, connected only by the database. */
export async function openRevocations() {
  const house = await openHouse({ env: { ROLE: 'api' } });
  house.house.limits.take = () => Promise.resolve();
  house.house.limits.allow = () => Promise.resolve(true);
  const env = { DATABASE_URL: house.url, ROLE: 'sync', LOG_LEVEL: 'warn' };
  const processes = await Promise.all([openProcess(env), openProcess(env)]);
  const { orm, sql } = house.database;

  /** Ways a permission can end; each resolves when the person who ended it has the answer. */
  const endings: Record<string, (victim: Victim) => Promise<unknown>> = {
    'logged out': ({ person }) => person.post('/api/logout'),
    'token revoked': ({ person, tokenId }) => person.delete(`/api/tokens/${tokenId}`),
    'access removed': ({ person, meeting }) =>
      orm
        .delete(meetingAccess)
        .where(and(eq(meetingAccess.meetingId, meeting), eq(meetingAccess.principalId, person.id)))
        .execute(),
    'lowered to reading': ({ person, meeting }) => share(house, meeting, person, ['read', 'discover']),
    'person deleted': ({ person }) => orm.delete(users).where(eq(users.id, person.id)).execute(),
    'meeting deleted': ({ meeting }) =>
      orm.update(meetings).set({ deletedAt: new Date() }).where(eq(meetings.id, meeting)).execute(),
    'text closed': ({ meeting }) => owner.post(`/api/meetings/${meeting}/close`, { name: 'Closed' }),
    'password reset': async ({ person }) => {
      const token = await house.tokenFor(person.email, '/reset');
      const password = `${person.password} again`;
      const answer = await house.stranger().post(`/api/reset/${token}`, { password, passwordConfirm: password });
      if (answer.status !== 204) throw new Error(`the password was not reset: ${answer.text}`);
    },
  };
  const kinds = Object.keys(endings);

  const owner = await house.person('Owner');
  const common = await makeMeeting(house, owner);
  const originOf = (nth: number) => processes[nth % 2]?.origin ?? '';
  const traffic = async (meeting: string, counts: readonly number[]) => {
    const room = `${meeting}/transcript`;
    const ticket = await ticketFor(owner, room);
    return counts.map((nth) => new Editor({ room, at: () => originOf(nth), ticket }));
  };

  async function revoke(nth: number): Promise<Revoked> {
    // Tests all kinds equally often, and at both processes.
    const kind = kinds[nth % kinds.length] ?? '';
    const at = Math.floor(nth / kinds.length) + nth;
    const person = await house.person('Victim');
    let meeting = common;
    let others: Editor[] = [];
    if (kind === 'meeting deleted') {
      meeting = await makeMeeting(house, owner);
      others = await traffic(meeting, [at + 1]);
    }
    // Nobody else writes there any more, so it is not the one with the traffic.
    if (kind === 'text closed') meeting = await makeMeeting(house, owner);
    await share(house, meeting, person, writer);
    if (kind === 'password reset') await person.post('/api/reset', { email: person.email });
    let asker = person;
    let tokenId = '';
    if (kind === 'token revoked') {
      const { body } = await person.post('/api/tokens', { name: 'program' });
      tokenId = body.id;
      asker = Object.assign(house.stranger(), { token: body.token as string });
    }
    const room = `${meeting}/transcript`;
    const ticket = await ticketFor(asker, room);
    const victim = new Stubborn(`${originOf(at).replace('http', 'ws')}/sync/${room}?saved=1&ticket=${ticket}`);
    await until(() => victim.synced || victim.over);
    const hands = typing(others, 40);
    let going = true;
    const types = (async () => {
      while (going) {
        victim.type();
        await sleep(25);
      }
    })();
    await until(() => victim.saved || victim.over);
    if (victim.over) throw new Error(`${kind}: out before it was put out (${victim.ends})`);
    await sleep(Math.random() * 200);

    await endings[kind]?.({ person, meeting, tokenId });
    const answered = performance.now();
    const stays = kind === 'lowered to reading' || kind === 'text closed';
    await until(() => victim.over || (stays && victim.denied));
    const { heard } = victim;
    // The client continues to write; if any of it were stored, it would show as a late write.
    await sleep(200);
    going = false;
    await types;
    await hands.stop();
    const written = victim.lastWritten((await stored(sql, room)).text) - answered;
    const { ends } = victim;
    victim.leave();
    for (const editor of others) editor.close();
    return { kind, received: stays ? null : Math.max(0, heard - answered), written: Math.max(0, written), ends };
  }

  return {
    house,
    kinds,
    /** Ends that many permissions, ten at a time, while others type; everybody else must not notice. */
    async run(count: number) {
      const staying = await traffic(common, [0, 1]);
      await synced(staying);
      const hands = typing(staying, 40);
      const revoked: Revoked[] = [];
      for (let done = 0; done < count; done += 10)
        revoked.push(
          ...(await Promise.all(Array.from({ length: Math.min(10, count - done) }, (_, i) => revoke(done + i)))),
        );
      await hands.stop();
      await settled(staying);
      const { missing } = difference(staying[0]?.text.toString() ?? '', typedBy(staying));
      const closes = staying.flatMap((editor) => editor.closes);
      for (const editor of staying) editor.close();
      return { revoked, missing, closes };
    },
    async close(): Promise<void> {
      for (const { child, ended } of processes) {
        child.kill('SIGTERM');
        await ended;
      }
      await house.close();
    },
  };
}

/** Times of each kind and of all, as readable lines. */
export function toldOf(revoked: readonly Revoked[]): string {
  const row = (name: string, these: readonly Revoked[]) => {
    const figure = (times: readonly number[]) => {
      const sorted = times.toSorted((a, b) => a - b);
      const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
      return times.length === 0 ? 'none' : `p50 ${at(0.5)}, p99 ${at(0.99)}`;
    };
    const received = these.flatMap((one) => one.received ?? []);
    return `${name} (${these.length}): last byte ${figure(received)}; last write ${figure(these.map((one) => one.written))}`;
  };
  const kinds = [...new Set(revoked.map(({ kind }) => kind))];
  return [
    'ms after the answer:',
    ...kinds.map((kind) =>
      row(
        kind,
        revoked.filter((one) => one.kind === kind),
      ),
    ),
    row('all', revoked),
  ].join('\n');
}
