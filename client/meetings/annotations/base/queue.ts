import type { FieldError } from '#shared/problems.ts';
import type { RoomState } from '#sync/client/status.ts';

import { unsentAfter, type Answer, type Answered, type Command } from './commands.ts';
import { TooOld } from './too-old.ts';

// Commands are sent one after another, in the order given, and stay stored in this browser until the server confirms
// them. Refused ones are undone, and their content is offered to the author; all others are retried under the same id.
// A problem of a single command delays only those that depend on it.

/** Stores commands across reloads. */
export interface Keeper {
  /** Commands of earlier visits that no other tab is sending, the oldest first. */
  load(): Promise<Command[]>;
  /** Replaces the command stored under the same id. */
  keep(command: Command): Promise<void>;
  drop(command: Command): Promise<void>;
}

export interface QueueWorld {
  /** Rejects with an error that `failureOf` understands. */
  send(command: Command, signal: AbortSignal): Promise<Answer>;
  /** Null when nothing may be stored in this browser. */
  keeper: Keeper | null;
  now(): number;
  /** Wall clock; unlike `now` it runs on while the computer sleeps. */
  wall(): number;
  later(ms: number, work: () => void): { cancel(): void };
  random(): number;
  /** Whether the browser is online. */
  online(): boolean;
  changed(): void;
  answered(done: Answered): void;
  /**
   * Called with a refused command and all that depend on it; `left` are those with content, `kept` whether they could
   * be stored.
   */
  refused(commands: readonly Command[], error: unknown, left: readonly Command[], kept: Promise<boolean>): void;
  /** Called with commands refused at an earlier visit. */
  found(left: readonly Command[]): void;
}

/** Age in milliseconds shown for held commands: pending, but never late. */
const heldAge = 1_000;
const firstDelay = 1_000;
const longestDelay = 30_000;
/** Shorter than the day for which the server remembers its responses. */
const knownFor = 20 * 3_600_000;

/**
 * Fields of an error that decide on retrying: status 0 means no response, `alone` that no other command is affected.
 */
export function failureOf(error: unknown): { status: number; retryAfter: number | undefined; alone: boolean } {
  const { status, retryAfter, alone } = (error ?? {}) as { status?: unknown; retryAfter?: unknown; alone?: unknown };
  return {
    alone: alone === true,
    status: typeof status === 'number' ? status : 0,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : undefined,
  };
}

/**
 * Whether the failure means success: an earlier attempt arrived without its response, or another person did the same.
 */
function isDone(command: Command, error: unknown): boolean {
  const { status } = failureOf(error);
  if (command.do === 'delete') return status === 404;
  const { errors = [] } = (error ?? {}) as { errors?: readonly FieldError[] };
  const isThere = errors.some(({ field, code }) => field === 'id' && code === 'taken');
  return command.do === 'add' && status === 409 && isThere;
}

/** Temporary failures: network, server, rate limit, session. */
const isTemporary = (status: number): boolean => status === 0 || status >= 500 || [401, 408, 429].includes(status);

/** Failures that affect all commands: no connection, or no session. */
const affectsAll = (status: number): boolean => status === 0 || status === 401;

interface Waiting {
  command: Command;
  since: number;
  /** Can still be taken back, so it is not sent yet. */
  held: boolean;
  /** Retry timer of this command alone, and its number of attempts. */
  late: { cancel(): void } | null;
  tries: number;
  /** Time of the first attempt, possibly at an earlier visit. */
  sentAt: number | null;
}

const waitingFor = (command: Command, since: number): Waiting => ({
  command,
  since,
  held: false,
  late: null,
  tries: 0,
  sentAt: command.sentAt ?? null,
});

export class CommandQueue {
  private readonly world: QueueWorld;
  private waiting: Waiting[] = [];
  private loaded = false;
  private sending: AbortController | null = null;
  /** Command being sent, or the last one sent. */
  private first: Command | null = null;
  private timer: { cancel(): void } | null = null;
  private attempt = 0;
  /** Commands that this browser has not stored yet, or could not. */
  private readonly storing = new Set<Command>();
  private held = false;
  private closed = false;
  private ended: (() => void) | null = null;
  private failed: 'line' | 'server' | null = null;
  private keeps = true;
  private since: number;
  private savedAt: number | null = null;

  constructor(world: QueueWorld) {
    this.world = world;
    this.since = world.now();
  }

  /** Loads the commands of earlier visits. */
  async open(): Promise<void> {
    const { keeper } = this.world;
    this.keeps = keeper !== null;
    const kept = (await keeper?.load().catch(() => this.noKeeping())) ?? [];
    if (this.closed) return;
    this.take(kept);
    this.loaded = true;
    this.run();
  }

  /** Takes over commands from a closed tab; they precede all commands of this one. */
  readonly take = (found: readonly Command[]): void => {
    if (this.closed) return;
    const left = found.filter(({ refused }) => refused);
    if (left.length > 0) this.world.found(left);
    const kept = found.filter(({ refused }) => !refused);
    const known = new Set(this.waiting.map(({ command }) => command.id));
    const since = this.world.now();
    const fresh = kept.filter(({ id }) => !known.has(id)).map((command) => waitingFor(command, since));
    if (fresh.length === 0) return;
    // The first command may be on its way already, so it stays first.
    const at = this.sending ? this.waiting.findIndex(({ command }) => command === this.first) + 1 : 0;
    this.waiting.splice(at, 0, ...fresh);
    this.world.changed();
    if (this.loaded) this.run();
  };

  /** Takes over all commands of another queue and closes it, including those that could not be stored. */
  inherit(other: CommandQueue): void {
    const commands = other.waiting.map(({ command, sentAt }) => (sentAt === null ? command : { ...command, sentAt }));
    other.close();
    for (const command of commands) void this.keep(command);
    this.take(commands);
  }

  get commands(): readonly Command[] {
    return this.waiting.map(({ command }) => command);
  }

  /** Adds a command; shown at once. With `held`, it is sent only after `release`. False after closing. */
  push(command: Command, held = false): boolean {
    if (this.closed) return false;
    this.waiting.push({ ...waitingFor(command, this.world.now()), held: held && !this.ended });
    void this.keep(command);
    this.world.changed();
    this.run();
    return true;
  }

  /** Replaces a held command; false if it is already being sent. */
  amend(command: Command, next: Command): boolean {
    const one = this.waiting.find((other) => other.command === command);
    if (!one?.held || this.closed) return false;
    one.command = next;
    void this.keep(next);
    this.world.changed();
    return true;
  }

  /** Removes a refused command that its author no longer needs. False where it may still be stored in this browser. */
  async discard(command: Command): Promise<boolean> {
    const { keeper } = this.world;
    if (!keeper) return true;
    const dropped = await keeper.drop(command).then(
      () => true,
      () => false,
    );
    if (!dropped) this.setKeeps(false);
    return dropped;
  }

  private async keep(command: Command): Promise<boolean> {
    const { keeper } = this.world;
    if (!keeper) return false;
    this.storing.add(command);
    const kept = await keeper.keep(command).then(
      () => true,
      () => false,
    );
    if (kept) this.storing.delete(command);
    this.setKeeps(kept);
    this.world.changed();
    return kept;
  }

  release(command: Command): void {
    this.releaseWhere((one) => one === command);
    this.run();
  }

  private releaseWhere(wanted: (command: Command) => boolean): void {
    const since = this.world.now();
    const held = this.waiting.filter((one) => one.held && wanted(one.command));
    if (held.length === 0) return;
    for (const one of held) Object.assign(one, { held: false, since });
    this.world.changed();
  }

  /** Undoes a held command; false if it is too late. */
  takeBack(command: Command): boolean {
    const one = this.waiting.find((other) => other.command === command);
    if (!one?.held || this.closed) return false;
    this.leave([command]);
    this.world.changed();
    this.run();
    return true;
  }

  /** Stops sending while another user may be signed in. */
  hold(held: boolean): void {
    this.held = held;
    if (!held) this.run();
  }

  /** Retries at once, because the connection may be back. */
  readonly wake = (): void => {
    this.timer?.cancel();
    this.timer = null;
    this.attempt = 0;
    for (const one of this.waiting) {
      one.late?.cancel();
      one.late = null;
      one.tries = 0;
    }
    const { sending } = this;
    // A request may hang in a dead connection. Its id makes repeating it safe.
    if (sending && this.failed === null) sending.abort(woken);
    else this.run();
  };

  /**
   * Leaves the recording: held commands are sent, and the queue runs on until all are confirmed. Then, or when another
   * user is signed in, `ended` is called; unconfirmed commands stay stored.
   */
  finish(ended: () => void): void {
    this.ended = ended;
    this.releaseWhere(() => true);
    // Other screens unmount in the same tick, and may still push commands.
    queueMicrotask(() => (this.held ? this.close() : this.run()));
  }

  /**
   * Page is being closed: sends at once every command that depends on no other. They stay stored, and repeating them
   * under their ids is safe.
   */
  readonly depart = (): void => {
    this.releaseWhere(() => true);
    if (this.held || this.closed || !this.world.online()) return;
    const later = new Set(this.waiting.flatMap(({ late, command }) => (late ? this.hanging(command) : [])));
    const before = new Set<string>();
    for (const one of this.waiting) {
      const { command } = one;
      const on = `${command.kind} ${command.itemId}`;
      const parent = command.kind === 'comment' && command.do === 'add' ? command.item.parent : null;
      const waits = later.has(command) || before.has(on) || before.has(`comment ${parent}`);
      before.add(on);
      // Before the commands of earlier visits are loaded only deletions are sent: any other change could overtake an
      // older one.
      if (!this.loaded && command.do !== 'delete') continue;
      if (waits || this.isTooOld(one) || (this.sending && command === this.first)) continue;
      this.note(one);
      this.world.send(command, new AbortController().signal).catch(() => {});
    }
  };

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.timer?.cancel();
    for (const { late } of this.waiting) late?.cancel();
    this.sending?.abort(woken);
    this.ended?.();
  }

  /** State for the save chip. */
  state(): RoomState {
    const due = this.waiting.filter(({ held }) => !held);
    const pending = this.waiting.length;
    return {
      connected: due.length === 0 || this.failed !== 'line',
      since: this.since,
      ended: null,
      canWrite: true,
      pending,
      unstored: this.keeps ? this.waiting.filter(({ command }) => this.storing.has(command)).length : pending,
      waitingSince: due[0]?.since ?? (pending > 0 ? this.world.now() - heldAge : null),
      notStored: (due.length > 0 && this.failed === 'server') || due.some(({ late }) => late),
      keptHere: this.keeps,
      savedAt: this.savedAt,
    };
  }

  private noKeeping(): Command[] {
    this.keeps = false;
    return [];
  }

  private setKeeps(keeps: boolean): void {
    if (this.keeps === keeps) return;
    this.keeps = keeps;
    this.world.changed();
  }

  private setFailed(failed: 'line' | 'server' | null): void {
    if (this.failed === failed) return;
    this.failed = failed;
    this.since = this.world.now();
    this.world.changed();
  }

  private run(): void {
    if (this.ended && this.loaded && this.waiting.length === 0) return this.close();
    const one = this.next();
    if (!one || !this.loaded || this.sending || this.timer || this.held || this.closed) return;
    const first = one.command;
    if (this.isTooOld(one)) return this.refuse([first], new TooOld());
    if (!this.world.online()) return this.setFailed('line');
    this.note(one);
    const sending = new AbortController();
    this.sending = sending;
    this.first = first;
    this.world.send(first, sending.signal).then(
      (answer) => {
        this.sending = null;
        if (!this.closed) this.onAnswer(first, answer);
      },
      (error: unknown) => {
        this.sending = null;
        if (!this.closed) this.onFailure(first, error, sending.signal.aborted);
      },
    );
  }

  /** Oldest command that may be sent: commands for one annotation keep their order, and follow those they depend on. */
  private next(): Waiting | null {
    const behind = new Set<string>();
    const later = new Set(this.waiting.flatMap(({ command, late }) => (late ? this.hanging(command) : [])));
    for (const one of this.waiting) {
      const { command, held } = one;
      const on = `${command.kind} ${command.itemId}`;
      if (!held && !later.has(command) && !behind.has(on)) return one;
      behind.add(on);
    }
    return null;
  }

  /**
   * Records the first attempt of a change, which may arrive without a response. Repeating an addition or a deletion is
   * harmless.
   */
  private note(one: Waiting): void {
    if (one.sentAt !== null) return;
    one.sentAt = this.world.wall();
    const { command, sentAt } = one;
    if (command.do === 'change') void this.keep({ ...command, sentAt });
  }

  /** Repeating an old change could overwrite later changes of others. */
  private isTooOld({ command, sentAt }: Waiting): boolean {
    return command.do === 'change' && sentAt !== null && this.world.wall() - sentAt > knownFor;
  }

  private onAnswer(command: Command, answer: Answer): void {
    this.attempt = 0;
    this.savedAt = this.world.now();
    this.failed = null;
    this.leave([command]);
    this.world.answered({ command, answer });
    this.world.changed();
    this.run();
  }

  private onFailure(command: Command, error: unknown, aborted: boolean): void {
    if (aborted) return this.run();
    const { status, retryAfter, alone } = failureOf(error);
    if (this.ended && status === 401) return this.close();
    const waitFor = (tries: number): number => {
      const most = Math.min(longestDelay, firstDelay * 2 ** tries);
      return retryAfter === undefined ? most * (0.5 + this.world.random() / 2) : retryAfter * 1000;
    };
    const one = this.waiting.find((other) => other.command === command);
    if (one && alone && isTemporary(status) && !affectsAll(status)) {
      one.late = this.world.later(waitFor(one.tries), () => {
        one.late = null;
        this.run();
      });
      one.tries += 1;
      this.attempt = 0;
      this.failed = null;
      this.world.changed();
      this.run();
      return;
    }
    if (isTemporary(status)) {
      this.setFailed(status === 0 ? 'line' : 'server');
      const wait = waitFor(this.attempt);
      this.attempt += 1;
      this.timer = this.world.later(wait, () => {
        this.timer = null;
        this.run();
      });
      return;
    }
    this.attempt = 0;
    this.failed = null;
    if (isDone(command, error)) {
      this.leave([command]);
      if (command.do === 'delete') this.world.answered({ command, answer: null });
      this.world.changed();
      this.run();
      return;
    }
    // An annotation that was never added can be neither changed nor replied to.
    this.refuse(command.do === 'add' ? this.hanging(command) : [command], error);
  }

  private refuse(refused: readonly Command[], error: unknown): void {
    const left = unsentAfter(refused, error);
    const stays = new Set(left.map(({ id }) => id));
    this.waiting = this.waiting.filter(({ command }) => !refused.includes(command));
    // Stored before the original is removed, so that content is never without a copy.
    const kept = Promise.all(left.map((command) => this.keep(command)));
    for (const command of refused) if (!stays.has(command.id)) void this.discard(command);
    this.world.refused(
      refused,
      error,
      left,
      kept.then((each) => each.every(Boolean)),
    );
    this.world.changed();
    this.run();
  }

  private hanging(command: Command): Command[] {
    const gone = new Set([`${command.kind} ${command.itemId}`]);
    return this.commands.filter((one) => {
      const onIt = gone.has(`${one.kind} ${one.itemId}`);
      const parent = one.kind === 'comment' && one.do === 'add' ? one.item.parent : null;
      const below = parent !== null && gone.has(`comment ${parent}`);
      if (below) gone.add(`${one.kind} ${one.itemId}`);
      return onIt || below;
    });
  }

  private leave(commands: readonly Command[]): void {
    for (const command of commands) this.storing.delete(command);
    this.waiting = this.waiting.filter(({ command }) => !commands.includes(command));
    for (const command of commands) void this.discard(command);
  }
}

const woken = new DOMException('asked again', 'AbortError');
