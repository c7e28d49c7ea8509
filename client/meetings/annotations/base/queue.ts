import type { FieldError } from '#shared/problems.ts';
import type { RoomState } from '#sync/client/status.ts';

import { leftOf, type Answer, type Answered, type Command } from './commands.ts';
import { TooOld } from './too-old.ts';

// Commands go to the server one after another, in the order somebody gave them, and wait in this browser until it has
// answered. What it refuses is taken back, and what somebody wrote with it stays theirs; everything else is tried again,
// under the same id. What one command alone has to wait for, only those wait for that hang on it.

/** Where commands wait over a reload. */
export interface Keeper {
  /** Those of earlier visits that nobody else is sending, the oldest first. */
  load(): Promise<Command[]>;
  /** In the place of what was kept under its id. */
  keep(command: Command): Promise<void>;
  drop(command: Command): Promise<void>;
}

export interface QueueWorld {
  /** Rejects with what `failureOf` reads. */
  send(command: Command, signal: AbortSignal): Promise<Answer>;
  /** Null where this browser keeps nothing of anybody's. */
  keeper: Keeper | null;
  now(): number;
  /** Of the clock on the wall, which goes on while nothing runs. */
  wall(): number;
  later(ms: number, work: () => void): { cancel(): void };
  random(): number;
  /** Whether a request could leave at all. */
  online(): boolean;
  changed(): void;
  answered(done: Answered): void;
  /** With all that hung on it and is given up as well; `left` is what somebody wrote, and whether it could be kept for them. */
  refused(commands: readonly Command[], error: unknown, left: readonly Command[], kept: Promise<boolean>): void;
  /** What was left to them at an earlier visit. */
  found(left: readonly Command[]): void;
}

/** What is not sent because it may still be taken back is shown as on its way, and as no later than this. */
const heldAge = 1_000;
const firstDelay = 1_000;
const longestDelay = 30_000;
/** The server knows an answer for a day. */
const knownFor = 20 * 3_600_000;

/** What of an error decides whether it is tried again; status 0 is no answer at all, `alone` is about no other command. */
export function failureOf(error: unknown): { status: number; retryAfter: number | undefined; alone: boolean } {
  const { status, retryAfter, alone } = (error ?? {}) as { status?: unknown; retryAfter?: unknown; alone?: unknown };
  return {
    alone: alone === true,
    status: typeof status === 'number' ? status : 0,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : undefined,
  };
}

/** It was done by the same command before, whose answer got lost; or somebody else wanted the same. */
function isDone(command: Command, error: unknown): boolean {
  const { status } = failureOf(error);
  if (command.do === 'delete') return status === 404;
  const { errors = [] } = (error ?? {}) as { errors?: readonly FieldError[] };
  const isThere = errors.some(({ field, code }) => field === 'id' && code === 'taken');
  return command.do === 'add' && status === 409 && isThere;
}

/** Later it may be answered otherwise: the line, the server, the pace, or who is signed in. */
const mayPass = (status: number): boolean => status === 0 || status >= 500 || [401, 408, 429].includes(status);

/** Without a line, or with nobody signed in, nothing else would go either. */
const ofOthersToo = (status: number): boolean => status === 0 || status === 401;

interface Waiting {
  command: Command;
  since: number;
  /** It may still be taken back: until then nothing of it leaves. */
  held: boolean;
  /** It alone was put off, for the time being and so many times. */
  late: { cancel(): void } | null;
  tries: number;
  /** When it first left, also at an earlier visit. */
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
  /** What is on its way, or was last. */
  private first: Command | null = null;
  private timer: { cancel(): void } | null = null;
  private attempt = 0;
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

  /** Takes up what was left over from earlier visits. */
  async open(): Promise<void> {
    const { keeper } = this.world;
    this.keeps = keeper !== null;
    const kept = (await keeper?.load().catch(() => this.noKeeping())) ?? [];
    if (this.closed) return;
    this.take(kept);
    this.loaded = true;
    this.run();
  }

  /** From a tab that is gone: it was given before whatever is given here from now on. */
  readonly take = (found: readonly Command[]): void => {
    if (this.closed) return;
    const left = found.filter(({ refused }) => refused);
    if (left.length > 0) this.world.found(left);
    const kept = found.filter(({ refused }) => !refused);
    const known = new Set(this.waiting.map(({ command }) => command.id));
    const since = this.world.now();
    const fresh = kept.filter(({ id }) => !known.has(id)).map((command) => waitingFor(command, since));
    if (fresh.length === 0) return;
    // The first may be on its way already.
    const at = this.sending ? this.waiting.findIndex(({ command }) => command === this.first) + 1 : 0;
    this.waiting.splice(at, 0, ...fresh);
    this.world.changed();
    if (this.loaded) this.run();
  };

  /** What another of this page has left, which ends: also what could not be kept. */
  inherit(other: CommandQueue): void {
    const commands = other.waiting.map(({ command, sentAt }) => (sentAt === null ? command : { ...command, sentAt }));
    other.close();
    for (const command of commands) void this.keep(command);
    this.take(commands);
  }

  get commands(): readonly Command[] {
    return this.waiting.map(({ command }) => command);
  }

  /**
   * With `held`, it leaves once it is released, unless it is taken back. Here it is done at once either way. False where
   * nothing is taken any more.
   */
  push(command: Command, held = false): boolean {
    if (this.closed) return false;
    this.waiting.push({ ...waitingFor(command, this.world.now()), held: held && !this.ended });
    void this.keep(command);
    this.world.changed();
    this.run();
    return true;
  }

  /** Puts another in the place of one that is held; false where it has left. */
  amend(command: Command, next: Command): boolean {
    const one = this.waiting.find((other) => other.command === command);
    if (!one?.held || this.closed) return false;
    one.command = next;
    void this.keep(next);
    this.world.changed();
    return true;
  }

  /** Of what was refused and left to somebody: they need it no more. */
  letGo(command: Command): void {
    this.world.keeper?.drop(command).catch(() => this.setKeeps(false));
  }

  private async keep(command: Command): Promise<boolean> {
    const { keeper } = this.world;
    if (!keeper) return false;
    const kept = await keeper.keep(command).then(
      () => true,
      () => false,
    );
    this.setKeeps(kept);
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

  /** False where it is too late. */
  takeBack(command: Command): boolean {
    const one = this.waiting.find((other) => other.command === command);
    if (!one?.held || this.closed) return false;
    this.leave([command]);
    this.world.changed();
    this.run();
    return true;
  }

  /** While somebody else may be signed in, nothing leaves. */
  hold(held: boolean): void {
    this.held = held;
    if (!held) this.run();
  }

  /** The line may be back: what would have been tried later is tried now. */
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
    // It may be waiting for the line itself. Whether it arrived or not, it is asked under the same id.
    if (sending && this.failed === null) sending.abort(woken);
    else this.run();
  };

  /**
   * Nobody looks at it any more: nothing can be taken back, and it goes on until all has been answered. `ended` is told
   * then, or where somebody else is signed in; what was not answered stays kept.
   */
  finish(ended: () => void): void {
    this.ended = ended;
    this.releaseWhere(() => true);
    // Other screens of the recording go in the same turn, and may have something to give.
    queueMicrotask(() => (this.held ? this.close() : this.run()));
  }

  /**
   * The page goes and no answer is heard any more: what need not wait for another is sent at once. It stays kept and, asked
   * again under its id, is not done twice.
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
      // While it is not known what an earlier visit left, only what nothing of that could be written over.
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

  /** As the chip of the page wants it. */
  state(): RoomState {
    const due = this.waiting.filter(({ held }) => !held);
    const pending = this.waiting.length;
    return {
      connected: due.length === 0 || this.failed !== 'line',
      since: this.since,
      ended: null,
      canWrite: true,
      pending,
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

  /** The oldest that may leave; what is done to one item stays in its order, and behind what it hangs on. */
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

  /** It leaves, and may arrive, whatever is heard of it. What is made or deleted twice is so once. */
  private note(one: Waiting): void {
    if (one.sentAt !== null) return;
    one.sentAt = this.world.wall();
    const { command, sentAt } = one;
    if (command.do === 'change') void this.keep({ ...command, sentAt });
  }

  /** Done again, a change would be written over what others wrote since. */
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
    if (one && alone && mayPass(status) && !ofOthersToo(status)) {
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
    if (mayPass(status)) {
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
    // What was never made can be neither changed nor answered.
    this.refuse(command.do === 'add' ? this.hanging(command) : [command], error);
  }

  private refuse(lost: readonly Command[], error: unknown): void {
    const left = leftOf(lost, error);
    const stays = new Set(left.map(({ id }) => id));
    this.waiting = this.waiting.filter(({ command }) => !lost.includes(command));
    // Never nowhere: it is kept in its own place.
    const kept = Promise.all(left.map((command) => this.keep(command)));
    for (const command of lost) if (!stays.has(command.id)) this.letGo(command);
    this.world.refused(
      lost,
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
    this.waiting = this.waiting.filter(({ command }) => !commands.includes(command));
    for (const command of commands) this.letGo(command);
  }
}

const woken = new DOMException('asked again', 'AbortError');
