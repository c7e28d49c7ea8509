import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Y from 'yjs';
import { syncStep } from '#sync/protocol.ts';
import { Line, type Watch } from './line.ts';
import { collectGarbage, cpuOf, cpuOfFamily, load, memoryOf } from './machine.ts';
import type { Field, Subject } from './servers.ts';
import { Writer, pasted, together, tokenLength, typed, type WrittenDocument } from './updates.ts';

/** Amounts; the short form only checks that everything works. */
export interface Scale {
  words: number;
  /** Words inserted one by one. */
  insertions: number;
  /** Rooms with a document each, joined cold once after each restart. */
  documents: number;
  seconds: number;
  blasts: number;
  idleRooms: number;
  kills: number;
  stalledMegabytes: number;
}

export type Figures = Record<string, number>;

export interface Row {
  name: string;
  title: string;
  aim: string;
  fits(subject: Subject): boolean;
  /** Called once a run. */
  prepare?(subject: Subject, scale: Scale): Promise<void>;
  measure(subject: Subject, scale: Scale, field: Field): Promise<Figures>;
}

/** Servers that store documents, and the plain broadcast as a baseline. */
const hasDocuments = (subject: Subject): boolean =>
  alone(subject) && (subject.name === 'bare broadcast' || (subject.keeps && subject.name !== 'bare group-commit log'));
const alone = (subject: Subject): boolean => subject.count === 1;

// ---- Shared by several rows --------------------------------------------------------------------

interface Group {
  lines: Line[];
  /** Number of clients that receive each update. */
  receivers: number;
}

/** Connects writers to each room, spread over the nodes, and waits until all are synced. */
async function gather(subject: Subject, rooms: string[], writers: Writer[], watch: Watch): Promise<Group> {
  const each = writers.length / rooms.length;
  const lines: Line[] = [];
  for (const [i, writer] of writers.entries()) {
    const room = rooms[Math.floor(i / each)] ?? '';
    lines.push(new Line(subject.way(room, i % subject.count, i), { writer, watch }));
    // In groups of ten: mass joins are measured by another row.
    if (i % 10 === 9) await Promise.all(lines.slice(-10).map((line) => line.synced));
  }
  await Promise.all(lines.map((line) => line.synced));
  return { lines, receivers: each - 1 };
}

const newWriters = (count: number, kind: Writer['kind'] = 'words'): Writer[] =>
  Array.from({ length: count }, () => new Writer(kind));

const leave = (lines: Line[]): Promise<unknown> => Promise.all(lines.map((line) => line.leave()));

/** Warm-up: everybody writes once and receives all, so that one-time costs are paid. */
async function introduce({ lines, receivers }: Group): Promise<void> {
  const heard = lines.map((line) => line.writer);
  for (const line of lines) line.type(1);
  await until(() => heard.every((writer) => (writer?.seenBy.at(-1) ?? 0) >= receivers), lines);
}

/** Timeout: 25 s on a quiet machine, longer on a loaded one. */
const patience = (): number => 25_000 * Math.min(4, Math.max(1, Number(load()) / availableParallelism()));

async function until(done: () => boolean, lines: Line[] = [], most = patience()): Promise<void> {
  const end = performance.now() + most;
  while (!done()) {
    const lost = lines.find((line) => !line.alive);
    if (lost) throw new Error(`a client was closed with ${lost.closedWith ?? 'nothing'}`);
    if (performance.now() > end) throw new Error('it did not get done');
    await sleep(2);
  }
}

interface Cpu {
  server: number;
  postgres: number;
}

function startCpu(subject: Subject, field: Field): () => Cpu {
  const read = (): Cpu => ({
    server: subject.pids.reduce((sum, pid) => sum + cpuOf(pid), 0),
    postgres: subject.acknowledges === 'durable' ? cpuOfFamily(field.postgres) : 0,
  });
  const before = read();
  return () => {
    const after = read();
    return { server: after.server - before.server, postgres: after.postgres - before.postgres };
  };
}

function share(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

const sortedTimes = (times: number[]): Float64Array => Float64Array.from(times).toSorted();

const median = (times: number[]): number => share(sortedTimes(times), 0.5);

/**
 * Everybody sends as fast as the window permits until each has sent `updates`; at most `ahead` are not yet received by
 * all.
 */
async function blast(
  subject: Subject,
  rooms: string[],
  writers: Writer[],
  updates: number,
  ahead: number,
  field: Field,
) {
  let delivered = 0;
  let done = 0;
  let refilling = false;
  const left = new Map<Line, number>();
  const refill = () => {
    refilling = false;
    for (const [line, count] of left) {
      const { inFlight } = line.writer ?? { inFlight: 0 };
      if (inFlight > ahead / 2) continue;
      const now = Math.min(ahead - inFlight, count);
      line.type(now);
      if (count > now) left.set(line, count - now);
      else left.delete(line);
    }
  };
  const watch: Watch = {
    delivered(writer, n) {
      delivered += 1;
      const seen = (writer.seenBy[n] ?? 0) + 1;
      writer.seenBy[n] = seen;
      if (seen !== receivers) return;
      writer.inFlight -= 1;
      done += 1;
      if (!refilling && left.size > 0) {
        refilling = true;
        setImmediate(refill);
      }
    },
    acknowledged: () => {},
  };
  let receivers = writers.length / rooms.length - 1;
  const group = await gather(subject, rooms, writers, watch);
  ({ receivers } = group);
  await introduce(group);
  delivered = 0;
  done = 0;
  const total = writers.length * updates;
  for (const line of group.lines) left.set(line, updates);
  const cpu = startCpu(subject, field);
  const started = performance.now();
  refill();
  await until(() => done >= total, group.lines);
  const ms = performance.now() - started;
  const used = cpu();
  await leave(group.lines);
  return { delivered, updates: total, ms, ...used };
}

/** The first blast is a warm-up. */
async function saturate(subject: Subject, scale: Scale, field: Field, roomCount: number, each: number) {
  const rooms = await subject.rooms(roomCount);
  const writers = newWriters(roomCount * each);
  const results: Awaited<ReturnType<typeof blast>>[] = [];
  // Below the limit of updates a socket may send at once.
  for (let i = 0; i <= scale.blasts; i++) results.push(await blast(subject, rooms, writers, 290, 64, field));
  const counted = results.slice(1);
  const sum = (of: (one: (typeof counted)[number]) => number) => counted.reduce((all, one) => all + of(one), 0);
  return {
    'updates/s': (sum((one) => one.updates) / sum((one) => one.ms)) * 1000,
    'deliveries/s': (sum((one) => one.delivered) / sum((one) => one.ms)) * 1000,
    'deliveries per CPU s': (sum((one) => one.delivered) / sum((one) => one.server)) * 1000,
    'PostgreSQL CPU ms per 1,000 updates': sum((one) => one.postgres) / (sum((one) => one.updates) / 1000),
  };
}

/** Writers at an even pace, whether or not the server keeps up. */
async function pace(subject: Subject, scale: Scale, field: Field, roomCount: number, each: number, hertz: number) {
  const rooms = await subject.rooms(roomCount);
  let from = Number.POSITIVE_INFINITY;
  const times: number[] = [];
  const acknowledgements: number[] = [];
  const watch: Watch = {
    delivered(writer, n, _line, now) {
      writer.seenBy[n] = (writer.seenBy[n] ?? 0) + 1;
      const at = writer.sentAt[n] ?? 0;
      if (at >= from) times.push(now - at);
    },
    acknowledged(writer, n, ms) {
      if ((writer.sentAt[n] ?? 0) >= from) acknowledgements.push(ms);
    },
  };
  const writers = newWriters(roomCount * each);
  const group = await gather(subject, rooms, writers, watch);
  await introduce(group);
  const perSecond = writers.length * hertz;
  const started = performance.now();
  const warmUp = Math.min(2000, scale.seconds * 250);
  const end = started + warmUp + scale.seconds * 1000;
  let sent = 0;
  let cpu = startCpu(subject, field);
  while (performance.now() < end) {
    const now = performance.now();
    if (from === Number.POSITIVE_INFINITY && now > started + warmUp) {
      from = now;
      cpu = startCpu(subject, field);
    }
    for (const due = ((now - started) / 1000) * perSecond; sent < due; sent++)
      group.lines[(sent * 7) % group.lines.length]?.type(1, performance.now());
    await sleep(1);
  }
  await until(() => writers.every((writer) => (writer.seenBy.at(-1) ?? 0) >= group.receivers), group.lines);
  // Read after late updates, which cost CPU too.
  const used = cpu();
  await leave(group.lines);
  const sorted = sortedTimes(times);
  const saved = sortedTimes(acknowledgements);
  return { sorted, saved, used, delivered: times.length };
}

// ---- Joining -------------------------------------------------------------------------------------

interface Prepared {
  rooms: string[];
  document: WrittenDocument;
}

const preparedRooms = new Map<string, Prepared>();

async function write(subject: Subject, room: string, document: WrittenDocument): Promise<void> {
  // Servers without storage get the whole document at once: they only relay bytes.
  const pieces = subject.keeps ? document.updates : [document.whole];
  const step = subject.keeps ? syncStep.update : syncStep.state;
  for (let i = 0; i < pieces.length; i += together) {
    // Another person sends each batch, because a person may send only so much.
    const line = new Line(subject.way(room, 0, i / together), { asks: false });
    await line.opened;
    line.ask(document.vector);
    await line.answer();
    line.bring(pieces.slice(i, i + together), step);
    if (subject.acknowledges === 'no') {
      const answered = line.answer();
      line.ask(document.vector);
      await answered;
    } else await until(() => line.unacknowledged <= 0, [line]);
    await line.leave();
  }
}

async function prepareJoin(row: string, subject: Subject, document: WrittenDocument, count: number): Promise<void> {
  const rooms = await subject.rooms(count);
  for (const room of rooms) await write(subject, room, document);
  preparedRooms.set(`${row} ${subject.name}`, { rooms, document });
}

/** Milliseconds from the first packet until a new document has everything. */
async function join(subject: Subject, room: string, length: number): Promise<{ ms: number; line: Line }> {
  const doc = new Y.Doc();
  const text = doc.getText('text');
  const started = performance.now();
  let ended = 0;
  const line = new Line(subject.way(room, 0, 1), {
    doc,
    onDoc: () => {
      if (text.length === length && ended === 0) ended = performance.now();
    },
  });
  await line.synced;
  await until(() => ended > 0, [line]);
  return { ms: ended - started, line };
}

async function measureJoin(row: string, subject: Subject, warmJoins: number): Promise<Figures> {
  const prepared = preparedRooms.get(`${row} ${subject.name}`);
  if (!prepared) throw new Error('nothing was prepared');
  const { rooms, document } = prepared;
  if (subject.keeps) {
    // Time for servers that store on a timer.
    await sleep(2500);
    await subject.restart();
    await warmUp(subject);
  }
  const cold: number[] = [];
  const warm: number[] = [];
  for (const room of rooms) {
    const first = await join(subject, room, document.length);
    cold.push(first.ms);
    for (let i = 0; i < warmJoins; i++) {
      const again = await join(subject, room, document.length);
      warm.push(again.ms);
      await again.line.leave();
    }
    await first.line.leave();
  }
  return warmJoins > 0 ? { 'cold ms': median(cold), 'warm ms': median(warm) } : { 'cold ms': median(cold) };
}

/** Runs the code paths in other rooms than the measured ones. */
async function warmUp(subject: Subject): Promise<void> {
  for (const room of await subject.rooms(3)) {
    const group = await gather(subject, [room], newWriters(2), hears);
    await introduce(group);
    await leave(group.lines);
  }
}

const hears: Watch = {
  delivered(writer, n) {
    writer.seenBy[n] = (writer.seenBy[n] ?? 0) + 1;
  },
  acknowledged: () => {},
};

// ---- Killing -------------------------------------------------------------------------------------

/** Kills the server among writers, then looks for all acknowledged updates and all that others have seen. */
async function kill(subject: Subject): Promise<{ stored: number; lost: number; seen: number; unseen: number }> {
  const rooms = await subject.rooms(5);
  const writers = newWriters(10);
  const { lines } = await gather(subject, rooms, writers, hears);
  const started = performance.now();
  const end = started + 400 + Math.random() * 600;
  for (let sent = 0; performance.now() < end; await sleep(1)) {
    for (const due = ((performance.now() - started) / 1000) * 400; sent < due; sent++)
      lines[sent % lines.length]?.type(1);
  }
  await subject.stop('SIGKILL');
  await until(() => lines.every(({ socket }) => socket.destroyed));
  await subject.start();
  const result = { stored: 0, lost: 0, seen: 0, unseen: 0 };
  for (const [i, room] of rooms.entries()) {
    const doc = new Y.Doc();
    const line = new Line(subject.way(room, 0, 0), { doc });
    await line.synced;
    // Waits until the text stops growing, because a server may answer before it has read its storage.
    for (let before = -1; before < doc.getText('text').length; await sleep(150)) before = doc.getText('text').length;
    const text = doc.getText('text').toJSON();
    const found = new Set<string>();
    for (let at = 0; at < text.length; at += tokenLength) found.add(text.slice(at, at + tokenLength));
    for (const writer of writers.slice(2 * i, 2 * i + 2)) {
      for (let n = 0; n < writer.made; n++) {
        const there = found.has(writer.token(n));
        if (n < writer.acknowledged) {
          result.stored += 1;
          if (!there) result.lost += 1;
        }
        if ((writer.seenBy[n] ?? 0) > 0) {
          result.seen += 1;
          if (!there) result.unseen += 1;
        }
      }
    }
    await line.leave();
  }
  return result;
}

// ---- A client that stops reading -----------------------------------------------------------------

/** Sends so many bytes through a room; with `stalled`, one client has stopped reading. */
async function pass(subject: Subject, megabytes: number, stalled: boolean): Promise<{ p99: number; memory: number }> {
  const [room = ''] = await subject.rooms(1);
  const times: number[] = [];
  let heard = 0;
  const watch: Watch = {
    delivered(writer, n, line, now) {
      if (line !== reader) return;
      heard += 1;
      writer.inFlight -= 1;
      times.push(now - (writer.sentAt[n] ?? 0));
    },
    acknowledged: () => {},
  };
  const reader: Line = new Line(subject.way(room, 0, 100), { watch });
  const idle = new Line(subject.way(room, 0, 101));
  await Promise.all([reader.synced, idle.synced]);
  if (stalled) idle.socket.pause();
  const perWriter = 240;
  const updates = (megabytes * 2 ** 20) / (16 * 1024);
  for (let sent = 0, i = 0; sent < updates; i++) {
    const writer = new Writer('values');
    const line = new Line(subject.way(room, 0, i), { writer, asks: false });
    await line.opened;
    for (const last = Math.min(updates, sent + perWriter); sent < last;) {
      const count = Math.min(4 - writer.inFlight, last - sent);
      line.type(count);
      sent += count;
      if (writer.inFlight >= 4 || sent === last) await new Promise((resolve) => setImmediate(resolve));
    }
    const all = sent;
    await until(() => heard >= all, [reader, line]);
    await line.leave();
  }
  const [node] = subject.nodes;
  if (!node) throw new Error('no server');
  const pid = node.child.pid ?? 0;
  await collectGarbage(pid, node.stderr);
  const memory = memoryOf(pid);
  idle.socket.destroy();
  await reader.leave();
  return { p99: share(sortedTimes(times), 0.99), memory };
}

// ---- The rows --------------------------------------------------------------------------------------

export const rows: Row[] = [
  {
    name: 'join',
    title: '30,000 words put in at once: joining',
    aim: '<= 3.5 ms cold',
    fits: hasDocuments,
    prepare: (subject, scale) => prepareJoin('join', subject, pasted(scale.words), scale.documents),
    measure: (subject) => measureJoin('join', subject, 5),
  },
  {
    name: 'typed',
    title: 'the same, typed word by word here and there (in the short form 3,000): joining',
    aim: '<= 75 ms cold',
    fits: hasDocuments,
    prepare: (subject, scale) => prepareJoin('typed', subject, (typedOnce ??= typed(scale.insertions)), 1),
    measure: (subject) => measureJoin('typed', subject, 0),
  },
  {
    name: 'editors',
    title: '50 editors in a room, 5 updates a second each',
    aim: 'p50 and p99 within 2 ms of the bare one; <= 8 CPU ms per 1,000 delivered',
    fits: () => true,
    async measure(subject, scale, field) {
      const { sorted, used, delivered } = await pace(subject, scale, field, 1, 50, 5);
      return {
        'p50 ms': share(sorted, 0.5),
        'p99 ms': share(sorted, 0.99),
        'CPU ms per 1,000 delivered': used.server / (delivered / 1000),
        'PostgreSQL CPU ms per 1,000 delivered': used.postgres / (delivered / 1000),
      };
    },
  },
  {
    name: 'acknowledged',
    title: 'acknowledgement at 1,000 updates a second, 50 rooms of 2',
    aim: 'p50 1 ms, p99 5 ms, durable',
    fits: (subject) => subject.acknowledges !== 'no',
    async measure(subject, scale, field) {
      const { saved, used } = await pace(subject, scale, field, 50, 2, 10);
      return { 'p50 ms': share(saved, 0.5), 'p99 ms': share(saved, 0.99), 'CPU ms per s': used.server / scale.seconds };
    },
  },
  {
    name: 'crowd',
    title: 'a room of 20, as fast as it goes',
    aim: '>= 600,000 deliveries per CPU second',
    fits: () => true,
    measure: (subject, scale, field) => saturate(subject, scale, field, 1, 20),
  },
  {
    name: 'rooms',
    title: '50 rooms of 2, as fast as it goes',
    aim: '>= 25,000 updates/s durable; two nodes >= 20,000',
    fits: () => true,
    measure: (subject, scale, field) => saturate(subject, scale, field, 50, 2),
  },
  {
    name: 'idle',
    title: 'a room with 2 idle clients',
    aim: '<= 25 kB',
    fits: alone,
    async measure(subject, scale) {
      await subject.restart();
      await warmUp(subject);
      const [node] = subject.nodes;
      const pid = node?.child.pid ?? 0;
      const stderr = node?.stderr ?? (() => '');
      const open = async (count: number): Promise<Line[]> => {
        const rooms = await subject.rooms(count);
        const all: Line[] = [];
        // In small groups, so that joining does not affect the measurement.
        for (let i = 0; i < rooms.length; i += 20) {
          const lines = rooms
            .slice(i, i + 20)
            .flatMap((room, k) => [0, 1].map((n) => new Line(subject.way(room, 0, 2 * (i + k) + n))));
          await Promise.all(lines.map((line) => line.synced));
          all.push(...lines);
        }
        await sleep(1000);
        await collectGarbage(pid, stderr);
        return all;
      };
      const first = await open(50);
      const before = memoryOf(pid);
      const more = await open(scale.idleRooms);
      const after = memoryOf(pid);
      await leave([...first, ...more]);
      await subject.restart();
      return { 'kB a room': (after - before) / scale.idleRooms / 1024 };
    },
  },
  {
    name: 'restart',
    title: '300 join 50 empty rooms after a restart',
    aim: '<= 220 ms, <= 180 CPU ms',
    fits: alone,
    async measure(subject, _scale, field) {
      const rooms = await subject.rooms(50);
      await subject.restart();
      await warmUp(subject);
      const cpu = startCpu(subject, field);
      const started = performance.now();
      let sentAway = 0;
      const come = async (i: number): Promise<Line> => {
        const line = new Line(subject.way(rooms[i % 50] ?? '', 0, i));
        try {
          await line.synced;
          return line;
        } catch {
          // Clients retry a little later.
          sentAway += 1;
          if (sentAway > 3000) throw new Error('nobody is let in');
          await sleep(200);
          return come(i);
        }
      };
      const lines = await Promise.all(Array.from({ length: 300 }, (_, i) => come(i)));
      const ms = performance.now() - started;
      const used = cpu();
      await leave(lines);
      return { 'all synced ms': ms, 'CPU ms': used.server, 'PostgreSQL CPU ms': used.postgres, 'sent away': sentAway };
    },
  },
  {
    name: 'stalled',
    title: 'one client stops reading while 64 MB pass',
    aim: "<= 1 MB held, the others' p99 <= 1.1 times",
    fits: alone,
    async measure(subject, { stalledMegabytes }) {
      await subject.restart();
      await warmUp(subject);
      await pass(subject, 4, false);
      const without = await pass(subject, stalledMegabytes, false);
      const again = await pass(subject, stalledMegabytes, false);
      const with_ = await pass(subject, stalledMegabytes, true);
      await subject.restart();
      const grown = again.memory - without.memory;
      return {
        'MB held': Math.max(0, (with_.memory - again.memory - Math.max(0, grown)) / 2 ** 20),
        "others' p99 ms": with_.p99,
        'times as without': with_.p99 / Math.min(without.p99, again.p99),
      };
    },
  },
  {
    name: 'kills',
    title: 'tokens missing after the server was killed',
    aim: '0 of those acknowledged',
    fits: (subject) => alone(subject) && subject.keeps,
    async measure(subject, { kills }) {
      const all = { stored: 0, lost: 0, seen: 0, unseen: 0 };
      for (let i = 0; i < kills; i++) {
        const one = await kill(subject);
        for (const key of ['stored', 'lost', 'seen', 'unseen'] as const) all[key] += one[key];
      }
      return {
        ...(subject.acknowledges === 'no' ? {} : { acknowledged: all.stored, 'of them missing': all.lost }),
        'seen by others': all.seen,
        'of these missing': all.unseen,
      };
    },
  },
];

let typedOnce: WrittenDocument | undefined;
