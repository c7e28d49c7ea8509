// Row G22: what honest people sent, changed at random, against the real connection, presence and room.
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import * as Y from 'yjs';
import { packUpdates, unpackUpdates } from '#sync/protocol.ts';
import { Connection } from '#sync/server/connection.ts';
import { Presence } from '#sync/server/presence.ts';
import type { Room } from '#sync/server/room.ts';
import { Chance } from '#tests/sim/chance.ts';
import { Disk } from '#tests/sim/disk.ts';
import { Person } from '#tests/sim/peers.ts';
import { Server, roomName, type Setting } from '#tests/sim/servers.ts';
import { Time } from '#tests/sim/time.ts';
import { asQuestion, asState, asUpdate, one, presence, struct } from './forge.ts';

// ---- Recordings --------------------------------------------------------------------------------

interface Recording {
  /** Updates in the order a room stored them. */
  log: Uint8Array[];
  /** All that was sent to the room: updates, states of those who came back, questions, presence. */
  frames: Uint8Array[];
  /** The sender of each frame. */
  senders: number[];
  clientIds: number[];
}

/** Some people at work on a transcript, offline at times; the same seed gives the same bytes. */
export function record(seed: number): Recording {
  const chance = new Chance(seed);
  const log: Uint8Array[] = [];
  const frames: Uint8Array[] = [];
  const senders: number[] = [];
  const people = Array.from({ length: chance.between(2, 5) }, (_, i) => {
    const doc = new Y.Doc();
    doc.clientID = 5000 + seed * 10 + i;
    const undo = new Y.UndoManager([doc.getText('text'), doc.getMap('segments')], { captureTimeout: 0 });
    const person = { doc, undo, online: true, read: 0, unsent: [] as Uint8Array[] };
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== 'room') person.unsent.push(update);
    });
    return person;
  });
  for (let step = 0; step < 60; step += 1) {
    const person = chance.pick(people);
    if (chance.happens(0.1)) person.online = !person.online;
    work(person.doc, person.undo, chance);
    if (!person.online) continue;
    const missed = log.slice(person.read);
    if (missed.length > 0) frames.push(asQuestion(Y.encodeStateVector(person.doc)));
    for (const update of missed) Y.applyUpdate(person.doc, update, 'room');
    // After a longer time offline everything is sent at once, as a client does that reconnects.
    const sent = person.unsent.length > 3 ? [Y.mergeUpdates(person.unsent)] : person.unsent;
    frames.push(...sent.map(person.unsent.length > 3 ? asState : asUpdate));
    log.push(...sent);
    person.unsent = [];
    person.read = log.length;
    if (chance.happens(0.3))
      frames.push(
        presence([
          {
            client: person.doc.clientID,
            clock: step + 1,
            json: JSON.stringify({ cursor: { anchor: step, head: step } }),
          },
        ]),
      );
    while (senders.length < frames.length) senders.push(person.doc.clientID);
  }
  const clientIds = people.map(({ doc }) => doc.clientID);
  for (const { doc, undo } of people) {
    undo.destroy();
    doc.destroy();
  }
  return { log, frames, senders, clientIds };
}

const words = ['budget', 'quarter', ' and so ', 'Ünïcödé', '会议', 'встреча', '😀', '\0', '. '];

/** One action of an editor. */
function work(doc: Y.Doc, undo: Y.UndoManager, chance: Chance): void {
  const text = doc.getText('text');
  const at = chance.between(0, text.length);
  const kind = chance.next();
  if (kind < 0.4) text.insert(at, chance.pick(words));
  else if (kind < 0.55) text.delete(Math.min(at, Math.max(0, text.length - 4)), Math.min(4, text.length));
  else if (kind < 0.65) text.insertEmbed(at, { s: `s${chance.between(1, 99)}`, p: `p${chance.between(1, 4)}` });
  else if (kind < 0.72) text.insert(at, chance.pick(words).repeat(chance.between(20, 400)));
  else if (kind < 0.8) doc.getMap('segments').set(`s${chance.between(1, 5)}`, `p${chance.between(1, 4)}`);
  else if (kind < 0.85) doc.getMap('speakers').set(`p${chance.between(1, 4)}`, { name: chance.pick(words) });
  else if (kind < 0.88) doc.getMap('timings').set(`s${chance.between(1, 5)}`, Uint8Array.of(1, 2, 3, step(chance)));
  else if (kind < 0.9) nest(doc.getMap('toc'), chance);
  else if (kind < 0.91) doc.getMap('segments').delete(`s${chance.between(1, 5)}`);
  else if (kind < 0.96) undo.undo();
  else undo.redo();
}

/** Maps in maps, which are deleted together with their parent. */
function nest(toc: Y.Map<unknown>, chance: Chance): void {
  const key = `t${chance.between(1, 3)}`;
  const entry = toc.get(key);
  if (!(entry instanceof Y.Map)) toc.set(key, new Y.Map([['title', new Y.Text('Opening')]]));
  else if (chance.happens(0.3)) toc.delete(key);
  else entry.set('at', chance.between(0, 999));
}
const step = (chance: Chance): number => chance.between(0, 255);

// ---- Mutations ---------------------------------------------------------------------------------

/** Numbers at the ends of what Yjs's variable lengths can say; the last one says 1 in more bytes than it needs. */
const extremes = [
  [0],
  [1],
  [0x7f],
  [0x80, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0x07],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x81, 0x80, 0x80, 0x00],
];

function change(bytes: Uint8Array, others: readonly Uint8Array[], chance: Chance): Uint8Array {
  const at = chance.between(0, Math.max(0, bytes.length - 1));
  const to = Math.min(bytes.length, at + chance.between(1, 12));
  const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  switch (chance.between(0, 8)) {
    case 0:
    case 1: {
      const changed = Buffer.from(bytes);
      for (let i = chance.between(1, 4); i > 0; i -= 1) {
        const place = chance.between(0, Math.max(0, bytes.length - 1));
        changed[place] = (changed[place] ?? 0) ^ (1 << chance.between(0, 7));
      }
      return changed;
    }
    case 2: {
      const changed = Buffer.from(bytes);
      if (changed.length > 0)
        changed[at] = chance.pick([0, 1, 0x7f, 0x80, 0xff, 10, (changed[at] ?? 0) + 1, (changed[at] ?? 0) - 1]) & 0xff;
      return changed;
    }
    case 3:
      return before;
    case 4: {
      const other = chance.pick(others);
      return Buffer.concat([before, other.subarray(chance.between(0, other.length))]);
    }
    case 5:
      return Buffer.concat([before, Buffer.from(chance.pick(extremes)), bytes.subarray(at + 1)]);
    case 6:
      return Buffer.concat([before, Buffer.from(chance.pick(extremes)), piece, after]);
    case 7:
      return Buffer.concat([before, piece, piece, after]);
    default:
      return Buffer.concat([before, after]);
  }
}

/** Mostly changes the inside of a message and leaves the message around it whole: otherwise little would get far. */
export function mutant({ log, frames }: Recording, chance: Chance): Uint8Array {
  const what = chance.next();
  if (what < 0.1) return chance.pick(frames);
  if (what < 0.3) return change(chance.pick(frames), frames, chance);
  let update = chance.pick(log);
  for (let i = chance.pick([1, 1, 1, 2, 3]); i > 0; i -= 1) update = change(update, log, chance);
  return chance.pick([asUpdate, asUpdate, asState])(update);
}

/**
 * Updates that chance hardly ever makes: whole ones of the attacker's own with a structure of no length. Yjs takes
 * them, and can never load the document again (V2).
 */
export const withoutLength: readonly Uint8Array[] = [
  struct.gc(0),
  struct.deleted({ root: 'text' }, 0),
  struct.string({ root: 'text' }, ''),
].flatMap((empty, i) => [
  asUpdate(one(90_000 + i, empty)),
  asState(one(91_000 + i, struct.string({ root: 'text' }, 'a'), empty)),
]);

// ---- One batch ---------------------------------------------------------------------------------

/** The other end of a real connection: takes everything, and can be sent messages. */
class Line extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  close(): void {
    this.terminate();
  }
  ping(): void {}
  terminate(): void {
    if (this.readyState !== this.OPEN) return;
    this.readyState = 3;
    queueMicrotask(() => this.emit('close'));
  }
}
const sink = new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done() });

interface Batch {
  /** The first fault found. */
  wrong: string | null;
  mutants: number;
  /** Events in the room, counted. */
  events: Map<string, number>;
  slowestMs: number;
}

/** Recordings are made once: making one costs more than many mutants. */
const recordings = new Map<number, Recording>();
function recordingOf(seed: number): Recording {
  const recording = recordings.get(seed) ?? record(seed);
  recordings.set(seed, recording);
  return recording;
}

/**
 * One room with two honest people in it and some of the recorded log, and one who sends mutants of the rest. Afterwards
 * the document has to load, to be the same for all, and to take what the honest ones write.
 */
export async function fuzz(seed: number, mutants: number): Promise<Batch> {
  const chance = new Chance(seed);
  const recording = recordingOf(chance.between(1, 12));
  const time = new Time();
  const disk = new Disk(time, chance, { slow: 0, hanging: 0, failing: 0, failedButStored: 0, reading: 0 }, null);
  disk.faults = null;
  const events = new Map<string, number>();
  const batch: Batch = { wrong: null, mutants: 0, events, slowestMs: 0 };
  const violation = (what: string) => {
    batch.wrong ??= what;
  };
  const setting: Setting = {
    time,
    chance,
    disk,
    troubled: false,
    checked: new WeakSet(),
    violation,
    event: (name, fields) => {
      events.set(name, (events.get(name) ?? 0) + 1);
      if (name === 'a message threw') violation(`${name}: ${JSON.stringify(fields)}`);
      if (name !== 'closing' && 'user' in fields && fields['user'] !== mallory)
        violation(`an honest update was refused: ${name} ${JSON.stringify(fields)}`);
    },
  };
  // Half of the time the attacker owns everything in the document: then no ownership check stops a mutant.
  const mallory = 'mallory';
  const ownsAll = chance.happens(0.5);
  const upTo = chance.between(0, recording.log.length);
  const stored = disk.append(
    recording.log.slice(0, upTo).map((update) => ({
      room: roomName,
      generation: 1,
      userId: null,
      clientIds: [],
      bytes: packUpdates([update]),
      at: new Date(time.now),
    })),
  );
  await time.pass(100);
  await stored;
  const claims = recording.clientIds.map((id) => disk.claim(id, ownsAll ? mallory : 'somebody', 'written'));
  await time.pass(100);
  await Promise.all(claims);

  const server = new Server(setting);
  const [writer, witness] = [
    new Person(setting, [server], 1, 'user 1', true),
    new Person(setting, [server], 2, 'user 2', false),
  ];
  const honest = [writer, witness];
  const settle = async () => {
    const settled = () =>
      honest.every(
        ({ provider }) => provider.connected && provider.synced && (!provider.canWrite || provider.pending === 0),
      );
    for (let waited = 0; waited < 60 && (waited === 0 || !settled()); waited += 1) await time.pass(1000);
    if (!settled()) violation('the honest ones are not served any more');
  };
  let room = null as Room | null;
  let presences: Presence | null = null;
  let line = new Line();
  const lines: Line[] = [];
  const enter = async () => {
    const entering = server.enter();
    await time.pass(200);
    const entered = await entering;
    if (entered !== room || !presences)
      presences = new Presence({
        now: () => time.now,
        publish: () => {},
        owns: (peer, clientId) => entered.owns(peer, clientId),
      });
    room = entered;
    line = new Line();
    lines.push(line);
    const connection = new Connection(line as unknown as WebSocket, sink, {
      id: `c${lines.length}`,
      userId: mallory,
      identity: { id: mallory, name: 'Mallory', color: '#000000', taking: 'writes' as const },
      canWrite: chance.happens(0.9),
      history: true,
      wantsSaved: true,
      // A minute between mutants, so that no limit of rate is reached: those have rows of their own.
      now: () => (batch.mutants + lines.length) * 60_000,
      event: setting.event,
    });
    connection.enter({ room: entered, presence: presences });
  };

  await settle();
  while (batch.mutants < mutants + withoutLength.length && batch.wrong === null) {
    if (line.readyState !== line.OPEN || lines.length === 0 || room?.dropped) await enter();
    // Last, so that what a seed does before does not hang on them.
    const bytes = withoutLength[batch.mutants - mutants] ?? mutant(recording, chance);
    const started = performance.now();
    line.emit('message', Buffer.from(bytes), true);
    batch.slowestMs = Math.max(batch.slowestMs, performance.now() - started);
    batch.mutants += 1;
    if (batch.mutants % 5 === 0) await time.pass(20);
    if (batch.mutants % 40 === 0) writer.act();
  }
  writer.act();
  await settle();
  if (batch.wrong === null) compare();
  for (const one of lines) one.terminate();
  for (const person of honest) person.leave();
  return batch;

  function compare(): void {
    try {
      const { snapshot, updates } = disk.read();
      const all = [...(snapshot ? [snapshot.bytes] : []), ...updates.flatMap(({ bytes }) => unpackUpdates(bytes))];
      const doc = loaded(all, 'the log');
      const again = loaded([Y.encodeStateAsUpdate(doc)], 'what is loaded, stored again,');
      for (const [who, other] of [
        ['a newcomer', again],
        ['the writer', writer.doc],
        ['the witness', witness.doc],
      ] as const) {
        if (other.store.pendingStructs || other.store.pendingDs) violation(`${who} holds something pending`);
        else if (!Y.equalSnapshots(Y.snapshot(doc), Y.snapshot(other)))
          violation(`${who} has another state than the disk`);
        else if (text(doc) !== text(other)) violation(`${who} has another text than the disk`);
      }
    } catch (error) {
      violation(`the document cannot be loaded: ${String(error)}`);
    }
  }

  function loaded(updates: readonly Uint8Array[], what: string): Y.Doc {
    const doc = new Y.Doc();
    for (const update of updates) Y.applyUpdate(doc, update);
    if (doc.store.pendingStructs || doc.store.pendingDs) violation(`${what} leaves something pending`);
    return doc;
  }
}

const text = (doc: Y.Doc): string => JSON.stringify(doc.getText('text').toDelta());

/** Replays the recorded people in the real room, unchanged: anything refused or closed here was honest. */
export async function replay(seed: number): Promise<{ wrong: string[]; updates: number }> {
  const { log, frames, senders, clientIds } = record(seed);
  const time = new Time();
  const chance = new Chance(seed);
  const disk = new Disk(time, chance, { slow: 0, hanging: 0, failing: 0, failedButStored: 0, reading: 0 }, null);
  const wrong: string[] = [];
  const violation = (what: string) => void wrong.push(what);
  const event = (name: string, fields: Record<string, unknown>) => violation(`${name} ${JSON.stringify(fields)}`);
  const setting: Setting = { time, chance, disk, troubled: false, checked: new WeakSet(), violation, event };
  const server = new Server(setting);
  const entering = server.enter();
  await time.pass(200);
  const room = await entering;
  const presences = new Presence({
    now: () => time.now,
    publish: () => {},
    owns: (peer, clientId) => room.owns(peer, clientId),
  });
  const lines = new Map<number, Line>();
  for (const id of clientIds) {
    const line = new Line();
    lines.set(id, line);
    const userId = `user ${id}`;
    const identity = { id: userId, name: 'Someone', color: '#000000', taking: 'writes' as const };
    const options = {
      id: userId,
      userId,
      identity,
      canWrite: true,
      history: true,
      wantsSaved: true,
      now: () => time.now,
      event,
    };
    new Connection(line as unknown as WebSocket, sink, options).enter({ room, presence: presences });
  }
  for (const [i, frame] of frames.entries()) {
    lines.get(senders[i] ?? 0)?.emit('message', Buffer.from(frame), true);
    // Sends at the speed of people.
    await time.pass(500);
  }
  await time.pass(5000);
  if (room.dropped) violation('the room was dropped');
  for (const line of lines.values()) if (line.readyState !== line.OPEN) violation('somebody was closed');
  const [expected, stored] = [new Y.Doc(), new Y.Doc()];
  for (const update of log) Y.applyUpdate(expected, update);
  const { snapshot, updates } = disk.read();
  if (snapshot) Y.applyUpdate(stored, snapshot.bytes);
  for (const { bytes } of updates) for (const update of unpackUpdates(bytes)) Y.applyUpdate(stored, update);
  if (!Y.equalSnapshots(Y.snapshot(expected), Y.snapshot(stored)) || text(expected) !== text(stored))
    violation('what was stored is not what was written');
  for (const line of lines.values()) line.terminate();
  return { wrong, updates: log.length };
}
