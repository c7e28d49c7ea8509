import * as Y from 'yjs';
import { unpackUpdates } from '#sync/protocol.ts';
import type { StoredRoom } from '#db/updates.ts';
import { Chance } from './chance.ts';
import { Disk, type Lie } from './disk.ts';
import { Person, tokens } from './peers.ts';
import { Server, type Setting } from './servers.ts';
import { Time } from './time.ts';

interface Told {
  /** The first thing that was wrong, or null. */
  wrong: string | null;
  /** Events in the rooms, counted. */
  events: Map<string, number>;
  operations: number;
  rows: number;
}

export interface Wanted {
  lie?: Lie;
  /** One client takes other people's client ids. */
  squatter?: boolean;
  /** Ignores violations on the way, to see that the comparison at the end finds them alone. */
  onlyAtTheEnd?: boolean;
  trace?(line: string): void;
}

/** Events that never happen to an honest person. */
const refusals = new Set(['refused', 'squatting', 'poison', 'sent away']);

/** One run: people work on a transcript through trouble of all kinds; then all is healed and everything is compared. */
export async function simulate(seed: number, wanted: Wanted = {}): Promise<Told> {
  const time = new Time();
  const chance = new Chance(seed);
  const events = new Map<string, number>();
  let wrong: string | null = null;
  let ended = false;
  const violation = (what: string) => {
    wanted.trace?.(`${time.now % 10_000_000} WRONG ${what}`);
    if (ended || !wanted.onlyAtTheEnd) wrong ??= what;
  };
  const rough = chance.happens(0.5);
  const disk = new Disk(
    time,
    chance,
    {
      slow: rough ? 0.1 : 0.02,
      hanging: rough ? 0.01 : 0,
      failing: rough ? 0.1 : 0.01,
      failedButStored: 0.5,
      reading: rough ? 0.05 : 0,
    },
    wanted.lie ?? null,
  );
  const malicious = new Set<string>();
  const setting: Setting = {
    time,
    chance,
    disk,
    troubled: true,
    checked: new WeakSet(),
    violation,
    event: (name, fields) => {
      wanted.trace?.(`${time.now % 10_000_000} ${name} ${JSON.stringify(fields)}`);
      events.set(name, (events.get(name) ?? 0) + 1);
      const refusal = refusals.has(name);
      if (refusal && !malicious.has(String(fields['user'])))
        violation(`an honest update was refused: ${name} ${JSON.stringify(fields)}`);
    },
  };
  const servers = [new Server(setting), new Server(setting)];
  for (const server of servers) server.others = servers.filter((other) => other !== server);

  const people: Person[] = [];
  const count = chance.between(2, 8);
  for (let number = 1; number <= count; number += 1) {
    const reads = number > 2 && chance.happens(0.25);
    // Some have two pages open.
    const userId = !reads && number > 2 && chance.happens(0.2) ? 'user 2' : `user ${number}`;
    if (reads) malicious.add(userId);
    people.push(new Person(setting, servers, number, userId, !reads));
  }
  const writers = people.filter(({ canWrite }) => canWrite);
  const squatter = wanted.squatter ? new Person(setting, servers, 9, 'user 9', true) : null;
  if (squatter) malicious.add(squatter.userId);

  let operations = 0;
  const most = chance.between(40, 200);
  try {
    while (operations < most && wrong === null) {
      await time.pass(chance.happens(0.05) ? chance.between(500, 5000) : chance.between(1, 120), () => wrong !== null);
      operations += 1;
      const what = chance.next();
      const somebody = chance.pick(people);
      if (what < 0.78) {
        const writer = chance.pick(writers);
        for (let n = chance.pick([1, 1, 1, 4]); n > 0; n -= 1) writer.act();
      } else if (what < 0.86) chance.pick(writers).undoOrRedo();
      else if (what < 0.92) somebody.socket?.cut();
      else if (what < 0.93) somebody.reload();
      else if (what < 0.95) somebody.socket?.stall(chance.between(100, 5000));
      else if (what < 0.965) {
        const server = chance.pick(servers);
        server.kill();
        time.later(chance.between(10, 5000), () => server.start());
      } else if (what < 0.98) void chance.pick(servers).room?.compact();
      else if (!somebody.canWrite) somebody.forge();
      if (squatter && chance.happens(0.1)) squatter.squat(chance.pick(writers));
    }
    setting.troubled = false;
    disk.faults = null;
    for (const server of servers) server.start();
    const settled = () =>
      people.every(
        ({ provider }) => provider.connected && provider.synced && (provider.pending === 0 || !provider.canWrite),
      );
    for (let waited = 0; waited < 200 && wrong === null && !settled(); waited += 1) await time.pass(1000);
    // Long enough to notice the last broken connection and the last lost row.
    await time.pass(100_000, () => wrong !== null);
    ended = true;
    if (wrong === null) await compare();
  } finally {
    for (const person of people) person.leave();
    squatter?.leave();
  }
  return { wrong, events, operations, rows: disk.rows.length };

  async function compare(): Promise<void> {
    const expected = build(disk.read());
    const log = new Y.Doc();
    for (const row of disk.rows) for (const update of unpackUpdates(row.bytes)) Y.applyUpdate(log, update);
    const same = (who: string, doc: Y.Doc) => {
      if (content(doc) !== content(expected)) violation(`${who} has another text than the disk`);
      else if (!Y.equalSnapshots(Y.snapshot(doc), Y.snapshot(expected))) violation(`${who} has another state`);
      else if (doc.store.pendingStructs || doc.store.pendingDs) violation(`${who} holds something pending`);
    };
    same('the log alone', log);
    const fresh = servers.map((server, i) => new Person(setting, [server], 20 + i, `user ${20 + i}`, false));
    await time.pass(5000);
    for (const person of [...people, ...fresh]) {
      const { provider, userId } = person;
      if (provider.ended) violation(`${userId} was sent away: ${provider.ended}`);
      else if (!provider.connected || !provider.synced) violation(`${userId} did not come back`);
      else if (provider.pending !== 0) violation(`${userId} has ${provider.pending} pending`);
      same(userId, person.doc);
    }
    for (const [i, server] of servers.entries()) {
      if (!server.room) violation(`server ${i} has no room`);
      else
        await server.room
          .read((doc) => same(`server ${i}`, doc))
          .catch((error: unknown) => violation(`server ${i} cannot read its document: ${String(error)}`));
    }
    for (const person of fresh) person.leave();

    const gone = new Set(people.flatMap((person) => [...person.gone]));
    const there = tokens(expected.getText('text'));
    for (const token of people.flatMap(({ written }) => written)) {
      const times = there.get(token) ?? 0;
      if (times !== 1 && !gone.has(token)) violation(`${token} is there ${times} times`);
    }
    const text = expected.getText('text').toString();
    if (text.includes('forged') || text.includes('squat')) violation('what was forged is in the document');
  }
}

function build(stored: StoredRoom): Y.Doc {
  const doc = new Y.Doc();
  if (stored.snapshot) Y.applyUpdate(doc, stored.snapshot.bytes);
  for (const row of stored.updates) for (const update of unpackUpdates(row.bytes)) Y.applyUpdate(doc, update);
  return doc;
}

function content(doc: Y.Doc): string {
  const map = (name: string) => Object.entries(doc.getMap(name).toJSON()).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([doc.getText('text').toDelta(), map('segments'), map('speakers')]);
}
