import { newId } from '#shared/ids.ts';
import type { StopReason, Track } from '#shared/recorder.ts';
import { Signal } from '#shared/signal.ts';

import { PieceSender, type SenderWorld, type SendTrouble } from './piece-sender.ts';
import type { PieceStore, StoredTake } from './piece-store.ts';
import type { SoundTrouble } from './sound.ts';

/** One run of the browser's recorder. */
interface Capture {
  type: StoredTake['type'];
  stop(): void;
}

/** The sound of a track, as the browser gives it. */
export interface Source {
  readonly alive: boolean;
  /** Loudness from 0 to 1; null where it cannot be measured. */
  level(): number | null;
  capture(events: { piece: (bytes: Uint8Array<ArrayBuffer>) => void; stopped: () => void }): Capture;
  watch(events: { ended: () => void; muted: () => void; unmuted: () => void }): void;
  close(): void;
}

export interface RecorderWorld extends SenderWorld {
  /** Milliseconds of a clock that is never set. */
  now(): number;
  open(track: Track, withOthers: boolean): Promise<Source>;
  say(meeting: string, what: 'pause' | 'resume' | 'end'): Promise<void>;
  /** Keeps the screen on until the returned function is called. */
  stayAwake(): () => void;
}

/**
 * `ending`: stopped, while the rest is sent. `ended`: the server has all of it that it takes. `elsewhere`: another tab or
 * device records now. `closed`: left by its person; what is not sent stays on this device.
 */
type Phase = 'recording' | 'paused' | 'ending' | 'ended' | 'elsewhere' | 'closed';

export interface RecorderState {
  phase: Phase;
  /** Recorded time. */
  ms: number;
  /** Time up to which the server keeps all sound. */
  savedMs: number;
  sending: SendTrouble | null;
  sound: SoundTrouble | null;
  /** This browser does not store the sound, as its disk is full or its storage is refused. */
  notStored: boolean;
  /** A reader asked to stop. */
  asked: boolean;
  /** Another tab or device records this one; it can be taken over. */
  offersTakeOver: boolean;
  tracks: readonly Track[];
}

/** Milliseconds of a muted track that end its take, such as during a call. */
const mutedAfter = 2_000;
/** Milliseconds without any sound that are pointed out. */
const silentAfter = 10_000;
const tick = 250;
/** Loudness of a line that carries no sound. */
const nothing = 0.02;
const endPauses = [1_000, 3_000, 10_000, 30_000];

interface Run {
  track: Track;
  sender: PieceSender;
  /** Null once it was stopped; `open` until its last piece has come. */
  capture: Capture | null;
  open: boolean;
  /** Recorded time when each piece had come; the first is the time when the run began. */
  marks: number[];
}

interface About {
  meeting: string;
  title: string;
  /** Milliseconds since the recording began, and those that were recorded. */
  offset?: number;
  ms?: number;
}

/** Records one meeting, whatever screen is shown. */
export class LiveRecorder {
  readonly meeting: string;
  readonly title: string;
  readonly subscribe: (callback: () => void) => () => void;
  private readonly signal = new Signal();
  private readonly world: RecorderWorld;
  private readonly store: PieceStore;
  private readonly sources: Map<Track, Source>;
  private readonly tracks: readonly Track[];
  /** Runs with sound that is not at the server yet, and those that go on. */
  private runs: Run[] = [];
  private readonly muted = new Map<Track, { cancel: () => void } | null>();
  private phase: Phase = 'recording';
  private sound: SoundTrouble | null = null;
  private notStored = false;
  private asked = false;
  private readonly base: number;
  private recorded: number;
  private since: number | null = null;
  private heardAt: number;
  private ticking: { cancel: () => void } | null = null;
  private sleep: (() => void) | null = null;
  private endedByOthers = false;
  private concluding = false;
  private shown: RecorderState;

  constructor(
    { meeting, title, offset = 0, ms = 0 }: About,
    sources: ReadonlyMap<Track, Source>,
    world: RecorderWorld,
    store: PieceStore,
  ) {
    this.meeting = meeting;
    this.title = title;
    this.subscribe = this.signal.subscribe;
    this.world = world;
    this.store = store;
    this.sources = new Map(sources);
    this.tracks = [...sources.keys()];
    this.base = world.now() - offset;
    this.recorded = ms;
    this.heardAt = world.now();
    this.shown = this.read();
  }

  readonly now = (): RecorderState => this.shown;

  /** Loudness from 0 to 1 of all that is recorded. */
  readonly level = (): number => Math.max(0, ...[...this.sources.values()].map((source) => source.level() ?? 0));

  start(): void {
    for (const [track, source] of this.sources) this.watch(track, source);
    this.sleep = this.world.stayAwake();
    this.heardAt = this.world.now();
    for (const track of this.sources.keys()) this.begin(track);
    this.count();
  }

  pause(): void {
    if (this.phase !== 'recording') return;
    this.phase = 'paused';
    this.stopRuns();
    this.tell('pause');
    this.changed();
  }

  async resume(): Promise<void> {
    if (this.phase !== 'paused') return;
    this.sound = null;
    // Reopens what has ended meanwhile, such as a microphone that was unplugged.
    for (const track of this.tracks) {
      if (this.sources.get(track)?.alive) continue;
      try {
        const source = await this.world.open(track, this.tracks.length > 1);
        this.sources.set(track, source);
        this.watch(track, source);
      } catch (error) {
        this.sound = error instanceof Error && 'why' in error ? (error.why as SoundTrouble) : 'busy';
        return this.changed();
      }
    }
    if (this.phase !== 'paused') return;
    this.phase = 'recording';
    this.heardAt = this.world.now();
    for (const track of this.tracks) this.begin(track);
    this.tell('resume');
    this.count();
    this.changed();
  }

  /** Ends the recording; the server is told once it has all of the sound. */
  end(): void {
    if (this.phase !== 'recording' && this.phase !== 'paused') return;
    this.store.putEnd(this.meeting).catch(() => {});
    this.finish();
  }

  /** Answers the question of `offersTakeOver`. */
  takeOver(): void {
    for (const { sender } of this.runs) if (sender.trouble === 'elsewhere') sender.start(true);
    this.changed();
  }

  /** Stops at once, as another tab records or the person has left. */
  leave(phase: 'elsewhere' | 'closed' = 'closed'): void {
    if (['ended', 'elsewhere', 'closed'].includes(this.phase)) return;
    this.phase = phase;
    this.stopRuns();
    for (const { sender } of this.runs) sender.halt();
    this.release();
    this.changed();
  }

  /** The page is being closed. */
  readonly pageLeft = (): void => {
    for (const { sender } of this.runs) sender.leave();
  };

  /** The network may be back. */
  readonly wake = (): void => {
    for (const { sender } of this.runs) sender.wake();
  };

  private begin(track: Track): void {
    const source = this.sources.get(track);
    if (!source?.alive || this.runs.some((one) => one.track === track && one.capture)) return;
    const take: StoredTake = {
      key: newId(),
      meeting: this.meeting,
      title: this.title,
      track,
      type: 'audio/webm;codecs=opus',
      offset: Math.max(0, Math.round(this.world.now() - this.base)),
      take: null,
      total: null,
    };
    const sender = new PieceSender(take, this.world, this.store, {
      changed: () => this.changed(),
      stopped: (why) => this.stopped(why, run),
    });
    const run: Run = { track, sender, capture: null, open: true, marks: [this.elapsed()] };
    this.runs.push(run);
    let n = 0;
    // One after the other: a piece is stored before it is sent, and sent in its order.
    let last: Promise<void>;
    const piece = async (bytes: Uint8Array<ArrayBuffer>) => {
      n += 1;
      const one = { n, bytes };
      run.marks[n] = this.elapsed();
      await this.keep(() => this.store.putPiece(take.key, one));
      sender.add(one);
    };
    const capture = source.capture({
      piece: (bytes) => void (last = last.then(() => piece(bytes))),
      stopped: () => {
        run.capture = null;
        this.stopClock();
        void last.then(() => {
          run.open = false;
          sender.finish(n);
          this.changed();
        });
      },
    });
    take.type = capture.type;
    run.capture = capture;
    last = this.keep(() => this.store.putTake({ ...take }));
    this.since ??= this.world.now();
    sender.start();
  }

  private async keep(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.notStored = false;
    } catch {
      this.notStored = true;
    }
  }

  private watch(track: Track, source: Source): void {
    source.watch({
      ended: () => {
        this.stopTrack(track);
        if (this.phase !== 'recording' && this.phase !== 'paused') return;
        this.sound = track === 'mic' ? 'micEnded' : 'tabEnded';
        if (this.phase === 'recording' && ![...this.sources.values()].some(({ alive }) => alive)) {
          this.phase = 'paused';
          this.tell('pause');
        }
        this.changed();
      },
      muted: () => {
        if (this.muted.get(track)) return;
        const timer = this.world.later(mutedAfter, () => {
          this.muted.set(track, null);
          this.stopTrack(track);
          this.sound = 'muted';
          this.changed();
        });
        this.muted.set(track, timer);
      },
      unmuted: () => {
        const waiting = this.muted.get(track);
        this.muted.delete(track);
        waiting?.cancel();
        if (waiting !== null) return;
        if (this.sound === 'muted') this.sound = null;
        if (this.phase === 'recording') this.begin(track);
        this.count();
        this.changed();
      },
    });
  }

  private stopTrack(track: Track): void {
    for (const run of this.runs) if (run.track === track) stopRun(run);
    this.stopClock();
  }

  private stopRuns(): void {
    this.runs.forEach(stopRun);
    this.stopClock();
  }

  private stopped(why: StopReason, run: Run): void {
    if (why === 'asked') this.asked = true;
    if (why === 'elsewhere' && run.capture) this.leave('elsewhere');
    if (why === 'ended' && (this.phase === 'recording' || this.phase === 'paused')) {
      this.endedByOthers = true;
      this.finish();
    }
  }

  /** Dismisses the wish of a reader. */
  readonly goOn = (): void => {
    this.asked = false;
    this.changed();
  };

  private finish(): void {
    this.phase = 'ending';
    this.stopRuns();
    this.release();
    this.changed();
  }

  private release(): void {
    for (const timer of this.muted.values()) timer?.cancel();
    for (const source of this.sources.values()) source.close();
    this.sleep?.();
    this.sleep = null;
    this.ticking?.cancel();
    this.ticking = null;
  }

  private tell(what: 'pause' | 'resume'): void {
    // Only shown to others: pieces are taken in both states.
    this.world.say(this.meeting, what).catch(() => {});
  }

  private async conclude(): Promise<void> {
    this.concluding = true;
    for (let tries = 0; !this.endedByOthers; tries += 1) {
      try {
        await this.world.say(this.meeting, 'end');
        break;
      } catch (error) {
        const why = error instanceof Error && 'why' in error ? error.why : 'network';
        if (why !== 'network' && why !== 'login') break;
        const pause = endPauses[Math.min(tries, endPauses.length - 1)] ?? 0;
        await new Promise<void>((done) => void this.world.later(pause, done));
      }
      if (this.phase !== 'ending') return;
    }
    await this.store.forgetEnd(this.meeting).catch(() => {});
    this.phase = 'ended';
    this.changed();
  }

  private elapsed(): number {
    return this.recorded + (this.since === null ? 0 : this.world.now() - this.since);
  }

  private stopClock(): void {
    if (this.since === null || this.runs.some(({ capture }) => capture)) return;
    this.recorded = this.elapsed();
    this.since = null;
  }

  private count(): void {
    if (this.ticking) return;
    const next = () => {
      this.ticking = this.world.later(tick, () => {
        this.ticking = null;
        this.listen();
        this.changed();
        if (this.phase === 'recording') next();
      });
    };
    next();
  }

  /** Notices that nothing is heard for a while. */
  private listen(): void {
    const now = this.world.now();
    const levels = [...this.sources.values()].map((source) => source.level());
    if (levels.some((level) => level === null || level > nothing)) this.heardAt = now;
    if (this.sound === null && now - this.heardAt > silentAfter) this.sound = 'silent';
    else if (this.sound === 'silent' && this.heardAt === now) this.sound = null;
  }

  private savedMs(): number {
    const waiting = this.runs.filter(({ sender, open, marks }) => sender.waits || (open && marks.length === 1));
    if (waiting.length === 0) {
      const ends = this.runs.map(({ marks }) => marks.at(-1) ?? 0);
      return this.since === null ? this.recorded : Math.max(0, ...ends);
    }
    return Math.min(...waiting.map(({ sender, marks }) => marks[sender.kept] ?? marks[0] ?? 0));
  }

  private read(): RecorderState {
    const troubles = this.runs.flatMap(({ sender }) => sender.trouble ?? []);
    return {
      phase: this.phase,
      ms: this.elapsed(),
      savedMs: this.savedMs(),
      sending: troubles.find((one) => one !== 'network') ?? troubles[0] ?? null,
      sound: this.sound,
      notStored: this.notStored,
      asked: this.asked,
      offersTakeOver: troubles.includes('elsewhere'),
      tracks: this.tracks,
    };
  }

  private changed(): void {
    // The server has all of a run that is over: only the last one's times are still needed.
    this.runs = this.runs.filter((run, i) => !run.sender.done || i === this.runs.length - 1);
    const lost = this.runs.some(({ sender }) => sender.trouble === 'access');
    if (lost && (this.phase === 'recording' || this.phase === 'paused')) {
      this.stopRuns();
      this.finish();
      return;
    }
    if (this.phase === 'ending' && !this.concluding && this.runs.every(({ open, sender }) => !open && sender.settled))
      void this.conclude();
    this.shown = this.read();
    this.signal.emit();
  }
}

function stopRun(run: Run): void {
  const { capture } = run;
  run.capture = null;
  capture?.stop();
}
