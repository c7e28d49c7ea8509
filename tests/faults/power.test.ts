// D2, F5: the machine of the database loses its power while people type. The disk is a file; what is in it at that moment
// is what a disk would have had: PostgreSQL is held still, and of what only the kernel's memory holds, nothing is copied.
// More cuts: POWER_CUTS=20 npm test -- tests/faults/power.test.ts
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lookInto, makeRoom, ownCluster, signal } from '#tests/support/crash.ts';
import {
  Editor,
  closeEditors,
  difference,
  nothingWrong,
  stored,
  synced,
  typing,
  until,
} from '#tests/support/editors.ts';
import { openHouse } from '#tests/support/house.ts';

const cuts = Number(process.env['POWER_CUTS'] ?? 1);

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** A disk that is a file, or why there can be none. */
class Disk {
  readonly at: string;
  private readonly image: string;
  private mounted = false;

  constructor(folder: string) {
    this.at = join(folder, 'disk');
    this.image = join(folder, 'image');
    mkdirSync(this.at);
    run('truncate', '-s', '900M', this.image);
    run('mkfs.ext4', '-q', '-F', this.image);
    this.mount();
  }

  private mount(): void {
    // The kernel writes back by itself only after minutes: data that was not synced is not on the disk.
    run('mount', '-o', 'loop,commit=300', this.image, this.at);
    this.mounted = true;
  }

  settle(): void {
    run('sync', '-f', this.at);
  }

  /** Copies the current content of the disk. */
  photograph(): void {
    run('cp', '--sparse=always', this.image, `${this.image}.then`);
  }

  unmount(): void {
    if (this.mounted) run('umount', this.at);
    this.mounted = false;
  }

  /** The power is back. */
  goBack(): void {
    this.unmount();
    renameSync(`${this.image}.then`, this.image);
    this.mount();
  }
}

let folder = '';
let disk: Disk | null = null;
let impossible = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-power-'));
  await chmod(folder, 0o755);
  try {
    disk = new Disk(folder);
  } catch (error) {
    impossible = `a disk in a file needs root and a loop device on Linux (${String((error as Error).message).split('\n')[0]})`;
  }
});
afterEach(async () => {
  closeEditors();
  disk?.unmount();
  disk = null;
  await rm(folder, { recursive: true, force: true });
});

interface Found {
  acknowledged: number;
  missing: string[];
  doubled: string[];
}

async function cutThePower(on: Disk, times: number, settings: Record<string, string> = {}): Promise<Found> {
  const found: Found = { acknowledged: 0, missing: [], doubled: [] };
  let cluster = await ownCluster(join(on.at, 'data'), settings);
  on.settle();
  for (let time = 0; time < times; time += 1) {
    const house = await openHouse({ env: { DATABASE_URL: cluster.url } });
    const database = lookInto(cluster.url);
    const meeting = await makeRoom(database, 4);
    // The room itself existed before; only typed text may be missing.
    const editors = meeting.cookies.map(
      (cookie) => new Editor({ room: meeting.room, at: () => house.origin, headers: { cookie, origin: house.origin } }),
    );
    await synced(editors);
    on.settle();
    const hands = typing(editors, 20);
    await until(() => editors.every(({ saved }) => saved.length > 2));
    await sleep(Math.random() * 500);

    const postgres = cluster.processes();
    signal(postgres, 'SIGSTOP');
    // Answers that were sent before are still on their way, and count.
    await sleep(300);
    on.photograph();
    const saved = editors.flatMap((editor) => editor.saved);
    signal(postgres, 'SIGCONT');
    await hands.stop();
    closeEditors();
    await house.close();
    await database.close();
    await cluster.stop();

    on.goBack();
    found.acknowledged += saved.length;
    cluster = await ownCluster(join(on.at, 'data'), settings);
    const after = lookInto(cluster.url);
    const { text } = await stored(after.sql, meeting.room);
    await after.close();
    const { missing, doubled } = difference(text, saved);
    found.missing.push(...missing);
    found.doubled.push(...doubled);
  }
  await cluster.stop();
  console.log(`${times} power cuts: ${found.acknowledged} acknowledged, ${found.missing.length} of them lost`);
  return found;
}

test(`${cuts} times: nothing acknowledged is lost`, { timeout: 120_000 + cuts * 60_000 }, async ({ skip }) => {
  if (!disk) return skip(impossible);
  const { acknowledged, ...wrong } = await cutThePower(disk, cuts);
  expect(acknowledged).toBeGreaterThan(cuts * 8);
  expect(wrong).toEqual(nothingWrong);
});

test('and where PostgreSQL does not wait for the disk, this shows', { timeout: 180_000 }, async ({ skip }) => {
  if (!disk) return skip(impossible);
  const { missing } = await cutThePower(disk, 1, { fsync: 'off' });
  expect(missing.length).toBeGreaterThan(0);
});
