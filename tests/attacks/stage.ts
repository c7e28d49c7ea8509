import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { loadRoom } from '#db/updates.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { roles, type Permission } from '#shared/roles.ts';
import { close, readFrame, unpackUpdates, writeFrame, type Frame } from '#sync/protocol.ts';
import { openHouse, type HouseOptions, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';
import { RawSocket, type Upgrade } from '#tests/support/raw-socket.ts';
import { cookiesOf, newAddress } from './run.ts';

/** The attacker: all but the stranger may be in the room; `anonymous` has a link that may write. */
export type Actor = 'reader' | 'commenter' | 'writer' | 'anonymous' | 'stranger';
export const insiders: readonly Actor[] = ['reader', 'commenter', 'writer', 'anonymous'];
const mayWrite = (actor: Actor): boolean => actor === 'writer' || actor === 'anonymous';

/** One house and its people; each attack gets a meeting of its own. */
export interface Cast {
  house: TestHouse;
  owner: Person;
  /** Reads along, and has to notice nothing of any attack. */
  witness: Person;
  people: Record<Exclude<Actor, 'anonymous'>, Person>;
}

export async function openCast(options: HouseOptions = {}): Promise<Cast> {
  const house = await openHouse({ ...options, env: { TRUSTED_PROXIES: '127.0.0.1', ...options.env } });
  const [owner, witness, reader, commenter, writer, stranger] = await Promise.all(
    ['Ann', 'Wim', 'Rob', 'Cleo', 'Will', 'Sam'].map((name) => house.person(name)),
  );
  if (!owner || !witness || !reader || !commenter || !writer || !stranger) throw new Error('somebody is missing');
  return { house, owner, witness, people: { reader, commenter, writer, stranger } };
}

/** Uses a new address each time, so that no client uses up another's limits. */
export const headersOf = (house: TestHouse, person: Person | null): Record<string, string> => ({
  Origin: house.origin,
  'X-Forwarded-For': newAddress(),
  ...(person ? { Cookie: cookiesOf(person) } : {}),
});

/** The client id the meeting's owner writes under. */
export const ownersId = 777;
/** Text that the owner wrote before the attack; the embed counts as one. */
export const openingText = 'The quick brown fox';
export const openingLength = openingText.length + 1;

/** An honest client: small enough to record all it receives, and whole enough to sync. */
class Guest {
  readonly doc = new Y.Doc();
  readonly heard: { frame: Frame; bytes: Buffer }[] = [];
  closeCode: number | null = null;
  private readonly ws: WebSocket;
  private sent = 0;
  private saved = 0;
  private readonly waiters = new Set<() => void>();

  constructor(house: TestHouse, person: Person | null, room: string, clientId?: number) {
    if (clientId !== undefined) this.doc.clientID = clientId;
    const origin = house.origin.replace('http', 'ws');
    this.ws = new WebSocket(`${origin}/sync/${room}?saved=1`, { headers: headersOf(house, person) });
    this.ws.on('message', (bytes: Buffer) => {
      this.take(bytes);
      this.wake();
    });
    this.ws.on('close', (code) => {
      this.closeCode = code;
      this.wake();
    });
    this.ws.on('error', () => {});
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== this) this.sendUpdate({ kind: 'update', update });
    });
  }

  private sendUpdate(frame: Frame): void {
    this.sent += 1;
    this.ws.send(writeFrame(frame));
  }

  private take(bytes: Buffer): void {
    const frame = readFrame(bytes);
    this.heard.push({ frame, bytes });
    if (frame.kind === 'ask')
      this.sendUpdate({ kind: 'state', update: Y.encodeStateAsUpdate(this.doc, frame.stateVector) });
    else if (frame.kind === 'state' || frame.kind === 'update') Y.applyUpdate(this.doc, frame.update, this);
    else if (frame.kind === 'saved') this.saved = frame.count;
  }

  private wake(): void {
    for (const waiter of this.waiters) waiter();
  }

  /** Fails when the line is closed before it is so. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const over = this.closeCode !== null;
        if (!over && !isSo()) return;
        this.waiters.delete(look);
        if (isSo()) resolve();
        else reject(new Error(`an honest client was closed with ${this.closeCode}`));
      };
      this.waiters.add(look);
      look();
    });
  }

  say(frame: Frame): void {
    this.ws.send(writeFrame(frame));
  }

  /** Everything the room has is here: the second answer begins after the first one's last row. */
  async synced(): Promise<this> {
    await this.until(() => this.heard.some(({ frame }) => frame.kind === 'ask'));
    const answers = () => this.heard.filter(({ frame }) => frame.kind === 'state').length;
    const before = answers();
    this.say({ kind: 'ask', stateVector: Y.encodeStateVector(this.doc) });
    this.say({ kind: 'ask', stateVector: Y.encodeStateVector(this.doc) });
    await this.until(() => answers() >= before + 2);
    return this;
  }

  /** Everything this client wrote is durable. */
  allSaved(): Promise<void> {
    return this.until(() => this.saved >= this.sent);
  }

  get text(): Y.Text {
    return this.doc.getText('text');
  }

  leave(): void {
    this.ws.terminate();
    this.doc.destroy();
  }
}

/** A meeting with people in it, and an attacker. */
export class Stage {
  readonly room: string;
  readonly cast: Cast;
  readonly actor: Actor;
  readonly part: Part;
  readonly meeting: string;
  owner!: Guest;
  witness!: Guest;
  private readonly guests: Guest[] = [];
  private readonly sockets: RawSocket[] = [];

  private constructor(cast: Cast, actor: Actor, part: Part, meeting: string) {
    this.cast = cast;
    this.actor = actor;
    this.part = part;
    this.meeting = meeting;
    this.room = `${meeting}/${part}`;
  }

  static async set(cast: Cast, actor: Actor, part: Part = 'transcript'): Promise<Stage> {
    const { house, people } = cast;
    const meeting = newId();
    await house.database.orm.insert(meetings).values({ id: meeting, ownerId: cast.owner.id });
    const held: [Person | null, readonly Permission[]][] = [
      // Sees all people in the room, readers too (P3a).
      [cast.witness, roles.canComment],
      [people.reader, roles.canRead],
      [people.commenter, roles.canComment],
      [people.writer, roles.canEdit],
    ];
    // Only if the attacker has the link: otherwise everybody else could do what a link may.
    if (actor === 'anonymous') held.push([null, roles.canEdit]);
    await house.database.orm.insert(meetingAccess).values(
      held.map(([person, permissions]) => ({
        meetingId: meeting,
        kind: person ? 'user' : 'anonymous',
        principalId: person?.id ?? '',
        permissions: [...permissions],
      })),
    );
    const stage = new Stage(cast, actor, part, meeting);
    await stage.fill();
    return stage;
  }

  private async fill(): Promise<void> {
    const { cast, part } = this;
    // Notes are the caller's own room: the witness there is the caller, from other pages.
    const [first, second] = part === 'notes' ? [this.person, this.person] : [cast.owner, cast.witness];
    [this.owner, this.witness] = await Promise.all([this.guest(first, ownersId), this.guest(second)]);
    if (part === 'transcript') {
      this.owner.doc.transact(() => {
        this.owner.text.insert(0, openingText);
        this.owner.text.insertEmbed(0, { s: 's1', p: 'p1' });
      });
      await this.owner.allSaved();
      await this.witness.until(() => this.witness.text.length === openingLength);
    }
    if (part === 'notes') {
      this.owner.doc.getXmlFragment('notes').insert(0, [new Y.XmlElement('paragraph')]);
      await this.owner.allSaved();
      await this.witness.until(() => this.witness.doc.getXmlFragment('notes').length === 1);
    }
  }

  get person(): Person | null {
    return this.actor === 'anonymous' ? null : this.cast.people[this.actor];
  }

  /**
   * An honest client that has the whole document. Newcomers may be asked to come again while sessions end anywhere
   * (A1a).
   */
  async guest(person: Person | null, clientId?: number): Promise<Guest> {
    for (;;) {
      const guest = new Guest(this.cast.house, person, this.room, clientId);
      this.guests.push(guest);
      try {
        return await guest.synced();
      } catch (error) {
        if (guest.closeCode !== close.restart) throw error;
      }
    }
  }

  /** The attacker's upgrade, as a browser of ours would send it. */
  upgrade(query = '?saved=1', person = this.person): Upgrade {
    return { path: `/sync/${this.room}${query}`, headers: headersOf(this.cast.house, person) };
  }

  async dial(upgrade: Upgrade): Promise<RawSocket> {
    const socket = await RawSocket.open(this.cast.house.port, upgrade);
    this.sockets.push(socket);
    return socket;
  }

  /** The attacker, in the room: it was let in and asked what it has. */
  async enter(query?: string): Promise<RawSocket> {
    for (;;) {
      const socket = await this.dial(this.upgrade(query));
      if (socket.status !== 101) throw new Error(`${this.actor} was not let in: ${socket.status}`);
      await socket.until(() => framesOf(socket).some(({ kind }) => kind === 'ask') || socket.closed);
      if (socket.closeCode !== close.restart) return socket;
    }
  }

  /** Everything stored and everything served of this room, as digests. */
  async state(): Promise<Record<string, string>> {
    const { house } = this.cast;
    const { sql } = house.database;
    const rows = await sql<{ name: string; digest: string }[]>`
      select 'rooms' as name, md5(coalesce(string_agg(to_jsonb(r)::text, '|' order by r.name), '')) as digest from rooms r where meeting_id = ${this.meeting}
      union all select 'updates', md5(coalesce(string_agg(to_jsonb(u)::text, '|' order by u.room, u.seq), '')) from room_updates u where room like ${`${this.meeting}/%`}
      union all select 'snapshots', md5(coalesce(string_agg(to_jsonb(s)::text, '|' order by s.room, s.seq), '')) from room_snapshots s where room like ${`${this.meeting}/%`}`;
    const fresh = await this.fresh();
    return {
      ...Object.fromEntries(rows.map(({ name, digest }) => [name, digest])),
      served: digest(Y.encodeStateAsUpdate(fresh.doc)),
      log: digest(await this.loaded()),
    };
  }

  /** A newcomer gets the whole document. */
  async fresh(): Promise<Guest> {
    const guest = await this.guest(this.part === 'notes' ? this.person : this.cast.witness);
    expectWhole(guest.doc);
    guest.leave();
    return guest;
  }

  /** The document that a newly started process would build from the log. */
  private async loaded(): Promise<Uint8Array> {
    const { sql } = this.cast.house.database;
    const [room] = await sql<{ name: string }[]>`
      select name from rooms where meeting_id = ${this.meeting} and part = ${this.part}`;
    const stored = room && (await loadRoom(sql, room.name));
    if (!stored) throw new Error('no such room');
    const doc = new Y.Doc();
    if (stored.snapshot) Y.applyUpdate(doc, stored.snapshot.bytes);
    for (const { bytes } of stored.updates) for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
    expectWhole(doc);
    return Y.encodeStateAsUpdate(doc);
  }

  /** The honest ones still work together: what one writes is stored, and the other gets it. */
  async stillServed(): Promise<void> {
    if (this.part === 'outcomes' || this.part === 'comments') {
      // Nobody may write here, so an answer is all there is to wait for.
      await this.witness.synced();
      return;
    }
    const { owner, witness } = this;
    if (this.part === 'notes') owner.doc.getMap('private').set('mark', 'after');
    else owner.text.insert(0, '*');
    await owner.allSaved();
    const upTo = Y.getState(owner.doc.store, owner.doc.clientID);
    await witness.until(() => Y.getState(witness.doc.store, owner.doc.clientID) === upTo);
  }

  leave(): void {
    for (const guest of this.guests) guest.leave();
    for (const socket of this.sockets) socket.destroy();
  }
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function expectWhole(doc: Y.Doc): void {
  expect(doc.store.pendingStructs, 'something hangs on nothing').toBeNull();
  expect(doc.store.pendingDs, 'something deletes nothing').toBeNull();
  const again = new Y.Doc();
  Y.applyUpdate(again, Y.encodeStateAsUpdate(doc));
  expect(digest(Y.encodeStateAsUpdate(again))).toBe(digest(Y.encodeStateAsUpdate(doc)));
}

/** Frames that a raw socket received, decoded. */
export const framesOf = (socket: RawSocket): Frame[] => socket.heard.map((bytes) => readFrame(bytes));

/**
 * Result for the attacker: a close code, `denied` (told that it may not write), `taken` (stored and acknowledged),
 * `held` (asked for what is missing), or `nothing` (read and ignored).
 */
export type Outcome = number | 'denied' | 'taken' | 'held' | 'nothing';

export interface WireAttack {
  /** The row of the catalogue. */
  id: string;
  what: string;
  part?: Part;
  /** Actors to run it as; default: everybody who may be in the room. */
  as?: readonly Actor[];
  /** Messages in order, as bytes or hexadecimal. */
  frames?:
    | readonly (Uint8Array | string)[]
    | ((stage: Stage) => Promise<readonly Uint8Array[]> | readonly Uint8Array[]);
  /** For what is more than messages. */
  attack?: (socket: RawSocket, stage: Stage) => Promise<void> | void;
  prepare?: (stage: Stage) => Promise<void> | void;
  /**
   * Result for actors who may write, and `reader` for those who may not; default: the same, or that they are told so.
   */
  expect: Outcome;
  reader?: Outcome;
  /** False if the document changes for actors who may write; `then` says how. */
  stateEqual?: false;
  /** Number of messages that others receive, at least one if it is a limit; default: none. */
  seen?: number | { most: number };
  then?: (stage: Stage, socket: RawSocket) => Promise<void> | void;
}

const toBytes = (frame: Uint8Array | string): Uint8Array =>
  typeof frame === 'string' ? Buffer.from(frame.replaceAll(' ', ''), 'hex') : frame;

function outcomeFor(attack: WireAttack, actor: Actor): Outcome {
  if (mayWrite(actor) || attack.part === 'notes') return attack.expect;
  return attack.reader ?? (attack.expect === 'taken' || attack.expect === 'held' ? 'denied' : attack.expect);
}

/** Carries one attack out and fails unless it went as it has to, without a trace that is not named. */
export async function attempt(attack: WireAttack, cast: Cast, actor: Actor): Promise<void> {
  const stage = await Stage.set(cast, actor, attack.part);
  try {
    await attack.prepare?.(stage);
    const socket = await stage.enter();
    const before = await stage.state();
    const [ownerHeard, witnessHeard] = [stage.owner.heard.length, stage.witness.heard.length];
    const questions = framesOf(socket).filter(({ kind }) => kind === 'ask').length;

    const frames = typeof attack.frames === 'function' ? await attack.frames(stage) : attack.frames;
    for (const frame of frames ?? []) socket.send(toBytes(frame));
    await attack.attack?.(socket, stage);

    const outcome = outcomeFor(attack, actor);
    await settle(socket, outcome, frames?.length ?? 0, questions);
    const changed = attack.stateEqual === false && outcome === 'taken';
    const after = await stage.state();
    if (changed) expect(after, 'nothing changed').not.toEqual(before);
    else expect(after, 'something changed').toEqual(before);
    const wanted = typeof outcome === 'number' || outcome === 'denied' ? 0 : (attack.seen ?? 0);
    for (const [who, guest, from] of [
      ['owner', stage.owner, ownerHeard],
      ['witness', stage.witness, witnessHeard],
    ] as const) {
      const kinds = guest.heard.slice(from).map(({ frame }) => frame.kind);
      const seen = kinds.filter((kind) => kind !== 'saved');
      if (typeof wanted === 'number') expect(seen, `seen by the ${who}`).toHaveLength(wanted);
      else expect(seen.length > 0 && seen.length <= wanted.most, `seen by the ${who}: ${seen.length}`).toBe(true);
    }
    await stage.stillServed();
    await attack.then?.(stage, socket);
    expect(stage.owner.closeCode, 'the owner was closed').toBeNull();
    expect(stage.witness.closeCode, 'the witness was closed').toBeNull();
  } finally {
    stage.leave();
  }
}

const kindsHeard = (socket: RawSocket): string => [...new Set(framesOf(socket).map(({ kind }) => kind))].join(', ');
/** Milliseconds until a client that should be closed counts as not closed; short where that is the expected result. */
export const patience = { closing: 60_000 };

/** Waits for what tells the outcome, and for nothing else; then looks whether it is that one. */
async function settle(socket: RawSocket, outcome: Outcome, sent: number, questions: number): Promise<void> {
  if (typeof outcome === 'number') {
    // A client that is only told that it may not write is not closed: this must show before the test runs out of time.
    await Promise.race([socket.untilClosed(), sleep(patience.closing, undefined, { ref: false })]);
    expect(socket.closeCode, `close code, having heard ${kindsHeard(socket)}`).toBe(outcome);
    return;
  }
  const count = (kind: Frame['kind']) => framesOf(socket).filter((frame) => frame.kind === kind).length;
  const signs: Record<Exclude<Outcome, number>, () => boolean> = {
    denied: () => count('auth') > 0,
    taken: () => framesOf(socket).some((frame) => frame.kind === 'saved' && frame.count === sent),
    held: () => count('ask') > questions,
    nothing: () => true,
  };
  await Promise.race([
    socket.until(() => socket.closed || signs[outcome]()),
    sleep(patience.closing, undefined, { ref: false }),
  ]);
  expect(socket.closeCode, 'close code').toBeNull();
  expect(signs[outcome](), `${outcome}, having heard ${kindsHeard(socket)}`).toBe(true);
  // Everything sent before this question has been read by now, and the line is still open.
  const before = count('presence');
  socket.send(writeFrame({ kind: 'askPresence' }));
  await socket.until(() => socket.closed || count('presence') > before);
  expect(socket.closeCode, 'close code').toBeNull();
  if (outcome !== 'denied') expect(count('auth')).toBe(0);
  if (outcome !== 'taken')
    expect(framesOf(socket).some((frame) => frame.kind === 'saved' && frame.count > 0)).toBe(false);
}

/** A connection attempt, and its answer. */
export interface DoorAttack {
  id: string;
  what: string;
  as: Actor;
  upgrade: (stage: Stage) => Promise<Upgrade> | Upgrade;
  /** Status of the answer; 101 with a close code if the connection opens and closes again. */
  expect: number;
  code?: number;
  then?: (stage: Stage, socket: RawSocket) => Promise<void> | void;
}

export async function knock(attack: DoorAttack, cast: Cast): Promise<void> {
  const stage = await Stage.set(cast, attack.as);
  try {
    const before = await stage.state();
    const [ownerHeard, witnessHeard] = [stage.owner.heard.length, stage.witness.heard.length];
    const socket = await stage.dial(await attack.upgrade(stage));
    expect(socket.status, socket.head).toBe(attack.expect);
    if (attack.code !== undefined) expect(await socket.untilClosed()).toBe(attack.code);
    if (attack.expect !== 101) {
      expect(socket.head.toLowerCase()).not.toContain('sec-websocket-accept');
      await socket.until(() => socket.ended);
    }
    await attack.then?.(stage, socket);
    expect(await stage.state(), 'something changed').toEqual(before);
    expect(stage.owner.heard.length - ownerHeard).toBe(0);
    expect(stage.witness.heard.length - witnessHeard).toBe(0);
    await stage.stillServed();
  } finally {
    stage.leave();
  }
}
