// F6, F7, F8, F10 and F14 while people type: nothing acknowledged is lost or doubled, and nobody gets a wrong
// acknowledgement.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '#db/connect.ts';
import { Processes, lookInto, makeRoom, ownCluster, signal, type Meeting } from '#tests/support/crash.ts';
import {
  Editor,
  closeEditors,
  difference,
  nothingWrong,
  settled,
  stored,
  synced,
  typedBy,
  typing,
  until,
} from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { endProcesses } from '#tests/support/processes.ts';
import type { Database } from '#db/open.ts';

interface Place {
  folder: string;
  cluster: Awaited<ReturnType<typeof ownCluster>>;
  database: Database;
  house: TestHouse;
  close(): Promise<void>;
}

/** A server with a PostgreSQL of its own. */
async function openPlace(folder: string): Promise<Place> {
  const cluster = await ownCluster(folder);
  const house = await openHouse({ env: { DATABASE_URL: cluster.url } });
  const database = lookInto(cluster.url);
  const close = async () => {
    await house.close();
    await database.close();
    await cluster.stop();
  };
  return { folder, cluster, database, house, close };
}

const editorAt = (house: TestHouse, { room, cookies }: Meeting, person: number): Editor =>
  new Editor({
    room,
    at: () => house.origin,
    headers: { cookie: cookies[person] ?? '', origin: house.origin },
    hasty: true,
  });

async function open({ house, database }: Place, people = 2): Promise<{ meeting: Meeting; editors: Editor[] }> {
  const meeting = await makeRoom(database, people);
  const editors = meeting.cookies.map((_, person) => editorAt(house, meeting, person));
  await synced(editors);
  return { meeting, editors };
}

/** Expects that the log contains everything that people typed. */
async function expectAll({ database }: { database: Database }, { room }: Meeting, editors: Editor[]): Promise<void> {
  await settled(editors);
  expect(difference((await stored(database.sql, room)).text, typedBy(editors))).toEqual(nothingWrong);
}

const savedOf = (editors: Editor[]) => editors.map((editor) => editor.saved.length);
const moreSaved = (editors: Editor[], than: number[]) =>
  until(() => editors.every((editor, i) => editor.saved.length > (than[i] ?? 0)));

let folder: string;
let place: Place;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-postgres-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'own'));
  place = await openPlace(join(folder, 'own'));
});
afterEach(() => {
  closeEditors();
  endProcesses();
});
afterAll(async () => {
  await place.close();
  await rm(folder, { recursive: true, force: true });
});

test('F7 PostgreSQL hangs: people see that nothing is saved, keep their connections, and all is saved when it responds again', async () => {
  const { meeting, editors } = await open(place);
  const hands = typing(editors, 60);
  await moreSaved(editors, savedOf(editors));
  const frozen = place.cluster.processes();
  signal(frozen, 'SIGSTOP');
  try {
    await until(() => editors.every(({ provider }) => provider.notStored));
    const before = savedOf(editors);
    await sleep(500);
    expect(savedOf(editors)).toEqual(before);
    expect(editors.flatMap(({ closes }) => closes)).toEqual([]);
  } finally {
    signal(frozen, 'SIGCONT');
  }
  await moreSaved(editors, savedOf(editors));
  await hands.stop();
  await expectAll(place, meeting, editors);
  expect(editors.map(({ provider }) => provider.notStored)).toEqual([false, false]);
});

test('F8 PostgreSQL is restarted at once while people type: nothing is lost, nothing is doubled', async () => {
  const { meeting, editors } = await open(place);
  const hands = typing(editors, 30);
  for (let time = 0; time < 2; time += 1) {
    await moreSaved(editors, savedOf(editors));
    // Restarts it like `pg_ctl restart -m immediate`.
    signal(place.cluster.processes().slice(0, 1), 'SIGQUIT');
    await sleep(200);
    await place.cluster.up();
  }
  await moreSaved(editors, savedOf(editors));
  await hands.stop();
  await expectAll(place, meeting, editors);
});

test('F14 the row of one room is locked: other rooms work, and this one does once the lock is released', async () => {
  const held = await open(place);
  const free = await open(place);
  const all = [...held.editors, ...free.editors];
  const hands = typing(all, 60);
  await moreSaved(all, savedOf(all));
  // After a restart as above the house judges everybody anew who is at its door.
  const closed = all.flatMap(({ closes }) => closes);
  const admin = connect(place.cluster.url, { max: 1 });
  let before: number[] = [];
  await admin.begin(async (tx) => {
    await tx`select 1 from rooms where name = ${held.meeting.room} for update`;
    before = savedOf(held.editors);
    await until(() => held.editors.every(({ provider }) => provider.notStored));
    // Repeated, because writes that wait for the lock must not hold up other rooms later either; a room that waits for
    // 30 s is given up, so a slow machine repeats it less.
    const end = performance.now() + 15_000;
    for (let time = 0; time < 20 && performance.now() < end; time += 1)
      await moreSaved(free.editors, savedOf(free.editors));
    // One commit may have been ahead of the lock; all later changes wait.
    expect(held.editors.every(({ provider }) => provider.pending > 0)).toBe(true);
  });
  await admin.end();
  await moreSaved(held.editors, before);
  await hands.stop();
  await expectAll(place, held.meeting, held.editors);
  await expectAll(place, free.meeting, free.editors);
  expect(all.flatMap(({ closes }) => closes)).toEqual(closed);
});

describe('F10 the disk is full', () => {
  const disk = () => join(folder, 'disk');
  let mounted = '';
  beforeAll(async () => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
    await mkdir(disk());
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=220m,mode=755', 'tmpfs', disk()], { stdio: 'ignore' });
      mounted = disk();
    } catch {
      // The test itself is skipped with the reason.
    }
  });
  afterAll(() => {
    if (mounted) execFileSync('umount', ['-l', mounted]);
  });

  const noDisk = 'a disk of its own can only be mounted by root on Linux';

  /** Uses up the disk; returns how to give the room back. */
  async function fill(): Promise<() => Promise<void>> {
    const filler = join(mounted, 'filler');
    for (let size = 64 * 1024 * 1024; size >= 4096; size /= 2) {
      try {
        for (;;) await writeFile(filler, Buffer.alloc(size), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
    return () => truncate(filler, 0);
  }

  /** A folder of PostgreSQL's, made with its write-ahead log in a place of its own. */
  async function apart(data: string, log: string): Promise<string> {
    const made = await ownCluster(data);
    await made.stop();
    const inside = join(made.folder, 'pg_wal');
    execFileSync('mv', [inside, log]);
    await symlink(log, inside);
    return data;
  }

  /**
   * Types large texts, each once the one before is stored: PostgreSQL still writes to space it has allocated, until these
   * have used it up.
   */
  async function typeUntilNothingIsStored(editors: Editor[], large: () => string): Promise<() => Promise<void>> {
    const [first] = editors;
    let giveBack = await fill();
    let savedBefore = -1;
    await until(async () => {
      giveBack = await fill();
      if (first && first.saved.length > savedBefore) {
        savedBefore = first.saved.length;
        first.text.insert(0, `${large()} `);
      }
      await sleep(50);
      return editors.every(({ provider }) => provider.notStored);
    });
    return giveBack;
  }

  test('people see that nothing is saved, reading still works, and all is saved when there is room again', async ({
    skip,
  }) => {
    if (!mounted) skip(noDisk);
    // A write-ahead log without room ends PostgreSQL, and with it all reading: here it has a disk with room.
    const small = await openPlace(await apart(join(mounted, 'data'), join(folder, 'log')));
    try {
      const { meeting, editors } = await open(small);
      const hands = typing(editors, 60);
      await moreSaved(editors, savedOf(editors));
      const giveBack = await typeUntilNothingIsStored(editors, () => 'x'.repeat(50_000));
      const reader = editorAt(small.house, meeting, 0);
      await until(() => reader.provider.synced && reader.text.length > 0);
      await giveBack();
      await moreSaved(editors, savedOf(editors));
      await hands.stop();
      await expectAll(small, meeting, editors);
    } finally {
      closeEditors();
      // A house that cannot store would not close, and the next test needs the room.
      await rm(join(mounted, 'filler'), { force: true });
      await small.close();
    }
  });

  test('all is saved when there is room again, also if the write-ahead log had none and PostgreSQL ended', async ({
    skip,
  }) => {
    if (!mounted) skip(noDisk);
    const small = await openPlace(await apart(join(folder, 'data'), join(mounted, 'log')));
    try {
      const { meeting, editors } = await open(small);
      const hands = typing(editors, 60);
      await moreSaved(editors, savedOf(editors));
      const giveBack = await typeUntilNothingIsStored(editors, () => randomBytes(25_000).toString('hex'));
      const isAway = () =>
        small.database.sql`select 1`.then(
          () => false,
          () => true,
        );
      await until(isAway);
      await giveBack();
      await moreSaved(editors, savedOf(editors));
      await hands.stop();
      await expectAll(small, meeting, editors);
    } finally {
      closeEditors();
      // A house that cannot store would not close, and the next test needs the room.
      await rm(join(mounted, 'filler'), { force: true });
      await small.close();
    }
  });
});

test('F6 a process stands still for ten seconds while another serves: it does nothing wrong when it wakes up', async () => {
  const processes = new Processes(place.cluster.url);
  await Promise.all([processes.start(0), processes.start(1)]);
  const meeting = await makeRoom(place.database, 4);
  // People at the first process move over when it no longer answers, as a proxy would have it.
  let first = 0;
  const editors = meeting.cookies.map((_, person) => processes.editor(meeting, person, () => (person < 2 ? first : 1)));
  await synced(editors);
  const hands = typing(editors, 40);
  await moreSaved(editors, savedOf(editors));
  signal([processes.pid(0)], 'SIGSTOP');
  const stopped = performance.now();
  await sleep(1500);
  first = 1;
  for (const { socket } of editors.slice(0, 2)) socket?.terminate();
  await moreSaved(editors, savedOf(editors));
  await sleep(Math.max(0, 10_000 - (performance.now() - stopped)));
  signal([processes.pid(0)], 'SIGCONT');
  // One person returns to the woken process and writes there; the other process has to receive it.
  first = 0;
  editors[0]?.socket?.terminate();
  await moreSaved(editors, savedOf(editors));
  await hands.stop();
  await expectAll(place, meeting, editors);
  const [row] = await place.database.sql<{ rows: number; last: number; seq: number }[]>`
    select count(*)::int as rows, max(u.seq)::int as last, max(r.seq)::int as seq
    from room_updates u join rooms r on r.name = u.room where u.room = ${meeting.room}`;
  expect([row?.last, row?.seq]).toEqual([row?.rows, row?.rows]);
});
