import { below, openDatabase, transact, written } from './stored-copies.ts';

// Commands that the server has not answered yet, stored in this browser for the person who gave them. Each tab stores its
// own; a tab that opens the meeting takes over those of closed tabs. The browser releases a lock however a tab ends.

/** A command as this module sees it; the rest of it is up to the caller. */
interface KeptCommand {
  id: string;
}

type Key = [meeting: string, tab: string, n: number];

export class KeptCommands<C extends KeptCommand> {
  private readonly userId: string;
  private readonly meeting: string;
  private readonly tab = crypto.randomUUID();
  /** The keys of each command; more than one where a closed tab had stored it, too. */
  private readonly keys = new Map<string, Key[]>();
  /** Commands to be written; of one that changes with each letter, the latest. */
  private readonly newest = new Map<string, C>();
  private readonly ending = new AbortController();
  private readonly database: Promise<IDBDatabase>;
  private writing: Promise<unknown>;
  private n = 0;

  constructor(userId: string, meeting: string) {
    this.userId = userId;
    this.meeting = meeting;
    this.database = openDatabase(userId);
    // Handled where the database is used.
    this.database.catch(() => {});
    this.writing = this.hold();
  }

  private lockOf(tab: string): string {
    return `colloquy/${this.userId}/${this.meeting}/commands/${tab}`;
  }

  /** Resolves when this tab has its lock. */
  private hold(): Promise<void> {
    if (!('locks' in navigator)) return Promise.resolve();
    return new Promise((resolve) => {
      const until = new Promise<void>((end) => this.ending.signal.addEventListener('abort', () => end()));
      navigator.locks
        .request(this.lockOf(this.tab), () => {
          resolve();
          return until;
        })
        .catch(() => resolve());
    });
  }

  /** Takes over the commands of closed tabs. `later` is called with those of tabs that close later. */
  async load(later: (commands: C[]) => void): Promise<C[]> {
    const found = await this.read(null);
    const tabs = [...new Set(found.map(({ key: [, tab] }) => tab))].filter((tab) => tab !== this.tab);
    const left: C[] = [];
    for (const tab of tabs)
      if (await this.inherit(tab, later))
        for (const { key, command } of found)
          if (key[1] === tab) {
            this.found(command, key);
            left.push(command);
          }
    return left;
  }

  private async read(tab: string | null): Promise<{ key: Key; command: C }[]> {
    const range = below(this.meeting, ...(tab === null ? [] : [tab]));
    const found = await transact(await this.database, 'readonly', (store) => {
      const keys = store('commands').getAllKeys(range);
      const values = store('commands').getAll(range) as IDBRequest<C[]>;
      return () =>
        written<Key>(keys).flatMap((key, i) => (values.result[i] ? [{ key, command: values.result[i] }] : []));
    });
    return found ?? [];
  }

  /** Whether that tab is closed; where it is not, waits for it. */
  private inherit(tab: string, later: (commands: C[]) => void): Promise<boolean> {
    if (!('locks' in navigator)) return Promise.resolve(true);
    const { signal } = this.ending;
    const until = new Promise<void>((end) => signal.addEventListener('abort', () => end()));
    return new Promise((resolve) => {
      const wait = () =>
        navigator.locks.request(this.lockOf(tab), { signal }, async () => {
          const found = await this.read(tab);
          for (const { key, command } of found) this.found(command, key);
          if (found.length > 0) later(found.map(({ command }) => command));
          await until;
        });
      navigator.locks
        .request(this.lockOf(tab), { ifAvailable: true }, (lock) => {
          resolve(lock !== null);
          return lock ? until : undefined;
        })
        .then(() => (signal.aborted ? undefined : wait()))
        .catch(() => resolve(false));
    });
  }

  private inTurn(work: () => Promise<unknown>): Promise<void> {
    const done = this.writing.catch(() => {}).then(work);
    this.writing = done;
    return done.then(() => undefined);
  }

  private found({ id }: C, key: Key): void {
    const keys = this.keys.get(id) ?? [];
    if (!keys.some((one) => one.join() === key.join())) this.keys.set(id, [...keys, key]);
  }

  /** Stores a command, in the place of an earlier one with its id. */
  keep(command: C): Promise<void> {
    const { id } = command;
    if (!this.keys.has(id)) this.keys.set(id, [[this.meeting, this.tab, (this.n += 1)]]);
    this.newest.set(id, command);
    return this.inTurn(async () => {
      const newest = this.newest.get(id);
      if (!newest) return;
      const keys = this.keys.get(id) ?? [];
      await transact(
        await this.database,
        'readwrite',
        (store) => keys.forEach((key) => store('commands').put(newest, key)),
        'strict',
      );
      if (this.newest.get(id) === newest) this.newest.delete(id);
    });
  }

  /** Removes a command. A command that could not be removed keeps its keys, so that it can be tried again. */
  drop(command: C): Promise<void> {
    const { id } = command;
    const keys = this.keys.get(id);
    if (!keys) return Promise.resolve();
    this.keys.delete(id);
    this.newest.delete(id);
    return this.inTurn(async () => {
      try {
        await transact(await this.database, 'readwrite', (store) =>
          keys.forEach((key) => store('commands').delete(key)),
        );
      } catch (error) {
        for (const key of keys) this.found(command, key);
        throw error;
      }
    });
  }

  close(): void {
    this.ending.abort();
    void this.writing
      .catch(() => {})
      .then(() => this.database)
      .then((db) => db.close())
      .catch(() => {});
  }
}
