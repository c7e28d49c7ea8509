import * as Y from 'yjs';
import type { PendingRow, StoredRoom } from '#db/updates.ts';
import { packUpdates, unpackUpdates } from '#sync/protocol.ts';
import { makeSnapshot } from '#sync/server/snapshot.ts';
import type { Claim } from '#sync/server/context.ts';
import type { Chance } from './chance.ts';
import type { Time } from './time.ts';

/** Faults of the disk, each as a share of all calls. */
interface DiskFaults {
  /** Appends that take up to 3 s. */
  slow: number;
  /** Appends that take up to 40 s. */
  hanging: number;
  /** Appends that fail, and of those the share that was stored all the same. */
  failing: number;
  failedButStored: number;
  reading: number;
}

/** Lies of a disk; the checks must notice each. */
export type Lie = 'acknowledges without storing' | 'acknowledges before storing' | 'lets anybody own a client id';

const emptyRow = packUpdates([Y.encodeStateAsUpdate(new Y.Doc())]);

/** The database of the simulation, for one room: the log, snapshots, and who owns which client id. */
export class Disk {
  seq = 0;
  readonly generation = 1;
  readonly rows: { readonly seq: number; bytes: Uint8Array }[] = [];
  snapshot: { seq: number; bytes: Uint8Array } | null = null;
  faults: DiskFaults | null;
  private readonly owners = new Map<number, string>();
  /** Everything stored, applied as it came: the document that is durable now. */
  private readonly stored = new Y.Doc();
  private readonly time: Time;
  private readonly chance: Chance;
  private readonly lie: Lie | null;

  constructor(time: Time, chance: Chance, faults: DiskFaults, lie: Lie | null) {
    this.time = time;
    this.chance = chance;
    this.faults = faults;
    this.lie = lie;
  }

  private async takeTime(most: number): Promise<void> {
    await this.time.pause(this.chance.between(1, most));
    if (this.faults && this.chance.happens(this.faults.reading)) throw new Error('the database did not answer');
  }

  async append(pending: readonly PendingRow[]): Promise<(number | null)[]> {
    const { chance, faults, time } = this;
    const slow = faults && chance.happens(faults.slow);
    const hanging = faults && chance.happens(faults.hanging);
    const failing = faults && chance.happens(faults.failing);
    const lying = this.faults && chance.happens(0.05) ? this.lie : null;
    const before = hanging ? chance.between(3000, 20_000) : chance.between(1, slow ? 1500 : 8);
    const after = hanging ? chance.between(0, 20_000) : chance.between(0, slow ? 1500 : 8);
    if (lying === 'acknowledges before storing') {
      const numbers = pending.map(() => this.commit(emptyRow));
      // Half of the time the crash comes first.
      if (chance.happens(0.5)) time.later(before, () => numbers.forEach((seq, i) => this.fill(seq, pending[i]?.bytes)));
      return numbers;
    }
    await time.pause(before);
    if (lying === 'acknowledges without storing') return pending.map(() => this.commit(emptyRow));
    if (failing && !chance.happens(faults.failedButStored)) {
      await time.pause(after);
      throw new Error('the disk is full');
    }
    const numbers = pending.map(({ bytes }) => this.commit(bytes));
    await time.pause(after);
    if (failing) throw new Error('the line to the database broke');
    return numbers;
  }

  private commit(bytes: Uint8Array): number {
    this.seq += 1;
    this.rows.push({ seq: this.seq, bytes });
    for (const update of unpackUpdates(bytes)) Y.applyUpdate(this.stored, update);
    return this.seq;
  }

  private fill(seq: number, bytes = emptyRow): void {
    const row = this.rows.find((one) => one.seq === seq);
    if (row) row.bytes = bytes;
    for (const update of unpackUpdates(bytes)) Y.applyUpdate(this.stored, update);
  }

  /** True if the whole update is stored at this moment. */
  holds(update: Uint8Array): boolean {
    let news = false;
    const notice = () => (news = true);
    this.stored.on('update', notice);
    Y.applyUpdate(this.stored, update);
    this.stored.off('update', notice);
    return !news && !this.stored.store.pendingStructs && !this.stored.store.pendingDs;
  }

  async load(): Promise<StoredRoom> {
    await this.takeTime(30);
    return this.read();
  }

  read(): StoredRoom {
    const from = this.snapshot?.seq ?? 0;
    return {
      generation: this.generation,
      seq: this.seq,
      snapshot: this.snapshot,
      mends: 0,
      damage: null,
      updates: this.between(from, this.seq).map(({ seq, bytes }) => ({ seq, bytes, userId: null, at: new Date(0) })),
    };
  }

  private between(from: number, to: number): { seq: number; bytes: Uint8Array }[] {
    const rows = this.rows.filter(({ seq }) => seq > from && seq <= to);
    if (rows.length !== to - from) throw new Error('a row is missing');
    return rows;
  }

  async rowsAfter(from: number, to: number): Promise<{ seq: number; bytes: Uint8Array }[]> {
    await this.takeTime(15);
    return this.between(from, to);
  }

  async lastSeq(): Promise<number> {
    await this.takeTime(15);
    return this.seq;
  }

  async claim(clientId: number, userId: string, how: Claim): Promise<string | null> {
    await this.takeTime(15);
    const owner = this.owners.get(clientId) ?? (how === 'look' ? null : userId);
    if (owner !== null) this.owners.set(clientId, owner);
    return this.lie === 'lets anybody own a client id' ? userId : owner;
  }

  isOwned(clientId: number): boolean {
    return this.owners.has(clientId);
  }

  async storeSnapshot(seq: number, pieces: readonly Uint8Array[]): Promise<Uint8Array> {
    const bytes = makeSnapshot(pieces);
    await this.takeTime(30);
    if (seq > (this.snapshot?.seq ?? 0)) this.snapshot = { seq, bytes };
    return bytes;
  }
}
