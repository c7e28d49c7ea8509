// The recorder without its screen (live-meeting slice 1): pieces are stored before they are sent and forgotten only when
// the server keeps them; takes begin and end with pauses, calls and lost tracks.
import { setImmediate as settled } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';

import { readEnd, readPiece, type TakeMessage, type Track } from '#shared/recorder.ts';

import { TakeRefused, type SendTrouble } from './piece-sender.ts';
import type { Piece, PieceStore, StoredTake } from './piece-store.ts';
import { LiveRecorder, type RecorderWorld, type Source } from './recorder.ts';

/** A server that keeps pieces when the test says so, and a browser whose clock the test moves. */
class Fakes {
  clock = 0;
  timers: { at: number; work: () => void }[] = [];
  /** Everything that was done, in order. */
  readonly log: string[] = [];
  readonly said: string[] = [];
  readonly lines = new Map<string, { say: (message: TakeMessage) => void; close: (code: number) => void }>();
  readonly pieces = new Map<string, Map<number, Piece>>();
  readonly takes = new Map<string, StoredTake>();
  readonly marks = new Set<string>();
  readonly put: number[] = [];
  readonly lastOnes: number[] = [];
  refusal: SendTrouble | null = null;
  storeFails = false;
  begun = 0;
  takenOver = 0;

  readonly world: RecorderWorld = {
    now: () => this.clock,
    random: () => 1,
    later: (ms, work) => {
      const timer = { at: this.clock + ms, work };
      this.timers.push(timer);
      return { cancel: () => void (this.timers = this.timers.filter((one) => one !== timer)) };
    },
    open: () => Promise.resolve(new FakeSource()),
    begin: (take, takeOver) => {
      if (this.refusal && !takeOver) return Promise.reject(new TakeRefused(this.refusal));
      if (takeOver) this.takenOver += 1;
      this.begun += 1;
      return Promise.resolve(`${take.track}${this.begun}`);
    },
    connect: (take, { said, closed }) => {
      this.lines.set(take, { say: said, close: closed });
      return {
        send: (message) => {
          if (typeof message === 'string') this.log.push(`${take} end ${readEnd(message)}`);
          else this.log.push(`${take} piece ${readPiece(message)?.n}`);
        },
        close: () => this.log.push(`${take} closed`),
      };
    },
    put: (_take, { n }) => {
      if (this.refusal) return Promise.reject(new TakeRefused(this.refusal));
      this.put.push(n);
      return Promise.resolve(n);
    },
    putLast: (_take, { n }) => this.lastOnes.push(n),
    end: (take, total) => {
      this.log.push(`${take} has ${total}`);
      return Promise.resolve();
    },
    say: (_meeting, what) => {
      this.said.push(what);
      return Promise.resolve();
    },
    stayAwake: () => () => {},
  };

  readonly store: PieceStore = {
    putTake: (take) => {
      this.takes.set(take.key, take);
      return Promise.resolve();
    },
    putPiece: (key, piece) => {
      if (this.storeFails) return Promise.reject(new Error('full'));
      this.log.push(`stored ${piece.n}`);
      const pieces = this.pieces.get(key) ?? new Map<number, Piece>();
      this.pieces.set(key, pieces.set(piece.n, piece));
      return Promise.resolve();
    },
    forgetPieces: (key, upTo) => {
      for (const n of this.pieces.get(key)?.keys() ?? []) if (n <= upTo) this.pieces.get(key)?.delete(n);
      return Promise.resolve();
    },
    forgetTake: (key) => {
      this.takes.delete(key);
      this.pieces.delete(key);
      return Promise.resolve();
    },
    takes: () => Promise.resolve([...this.takes.values()]),
    pieces: (key) => Promise.resolve([...(this.pieces.get(key)?.values() ?? [])]),
    putEnd: (meeting) => Promise.resolve(void this.marks.add(meeting)),
    forgetEnd: (meeting) => Promise.resolve(void this.marks.delete(meeting)),
    ends: () => Promise.resolve([...this.marks]),
  };

  /** Moves the clock, and does what is due. */
  async pass(ms: number): Promise<void> {
    const until = this.clock + ms;
    for (;;) {
      await settled();
      const [next] = this.timers.filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at);
      if (!next) break;
      this.timers = this.timers.filter((one) => one !== next);
      this.clock = Math.max(this.clock, next.at);
      next.work();
    }
    this.clock = until;
    await settled();
  }

  line(take: string) {
    const line = this.lines.get(take);
    if (!line) throw new Error(`no line of ${take}`);
    return line;
  }

  storedNumbers = () => [...this.pieces.values()].flatMap((pieces) => [...pieces.keys()]);
}

class FakeSource implements Source {
  alive = true;
  loud: number | null = 0.5;
  captures = 0;
  closed = false;
  piece: (bytes: Uint8Array<ArrayBuffer>) => void = () => {};
  watching: Parameters<Source['watch']>[0] = { ended: () => {}, muted: () => {}, unmuted: () => {} };

  level = () => this.loud;
  watch(events: Parameters<Source['watch']>[0]): void {
    this.watching = events;
  }
  capture({ piece, stopped }: Parameters<Source['capture']>[0]) {
    this.captures += 1;
    this.piece = piece;
    return { type: 'audio/webm;codecs=opus' as const, stop: stopped };
  }
  close(): void {
    this.closed = true;
  }
  end(): void {
    this.alive = false;
    this.watching.ended();
  }
}

let fakes: Fakes;
let mic: FakeSource;
let tab: FakeSource;
let recorder: LiveRecorder;

function start(tracks: readonly Track[] = ['mic']): void {
  const sources = new Map(tracks.map((track) => [track, track === 'mic' ? mic : tab]));
  recorder = new LiveRecorder({ meeting: 'm', title: 'Monday' }, sources, fakes.world, fakes.store);
  recorder.start();
}

async function hear(source: FakeSource, count: number, bytes = 10): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await fakes.pass(250);
    source.piece(new Uint8Array(bytes));
  }
  await settled();
}

beforeEach(() => {
  fakes = new Fakes();
  mic = new FakeSource();
  tab = new FakeSource();
});

describe('pieces', () => {
  it('are stored, then sent, and forgotten when the server keeps them', async () => {
    start();
    await hear(mic, 1);
    expect(fakes.log).toEqual(['stored 1']);
    fakes.line('mic1').say({ kept: 0 });
    await hear(mic, 2);
    expect(fakes.log).toEqual(['stored 1', 'mic1 piece 1', 'stored 2', 'mic1 piece 2', 'stored 3', 'mic1 piece 3']);
    expect(recorder.now()).toMatchObject({ ms: 750, savedMs: 0 });
    fakes.line('mic1').say({ kept: 2 });
    await settled();
    expect(fakes.storedNumbers()).toEqual([3]);
    expect(recorder.now().savedMs).toBe(500);
  });

  it('are sent again on the next line, from the first that is not kept', async () => {
    start();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    await hear(mic, 3);
    fakes.line('mic1').close(1006);
    expect(recorder.now().sending).toBe('network');
    fakes.log.length = 0;
    await fakes.pass(1000);
    fakes.line('mic1').say({ kept: 1 });
    expect(fakes.log).toEqual(['mic1 piece 2', 'mic1 piece 3']);
    expect(recorder.now().sending).toBeNull();
  });

  it('go by HTTP, oldest first, where many wait', async () => {
    start();
    await hear(mic, 5, 100_000);
    fakes.line('mic1').say({ kept: 0 });
    await settled();
    expect(fakes.put).toEqual([1, 2, 3, 4, 5]);
    await hear(mic, 1);
    expect(fakes.log.at(-1)).toBe('mic1 piece 6');
  });

  it('go by HTTP where no socket opens', async () => {
    start();
    await hear(mic, 2);
    for (let tries = 0; tries < 3; tries += 1) {
      fakes.line('mic1').close(1006);
      await fakes.pass(5000);
    }
    expect(fakes.put).toEqual([1, 2]);
  });

  it('go to the server alone where this browser stores nothing, and that is said', async () => {
    fakes.storeFails = true;
    start();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    await hear(mic, 1);
    expect(fakes.log).toEqual(['mic1 piece 1']);
    await fakes.pass(250);
    expect(recorder.now().notStored).toBe(true);
  });

  it('that are not kept are sent once more while the page is closed', async () => {
    start();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    await hear(mic, 4);
    fakes.line('mic1').say({ kept: 2 });
    recorder.pageLeft();
    expect(fakes.lastOnes).toEqual([3, 4]);
  });
});

describe('takes', () => {
  it('end with a pause, and others begin after it; the time stands still meanwhile', async () => {
    start();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    await hear(mic, 4);
    recorder.pause();
    await fakes.pass(5000);
    expect(fakes.log.at(-1)).toBe('mic1 end 4');
    expect(recorder.now()).toMatchObject({ phase: 'paused', ms: 1000 });
    await recorder.resume();
    await fakes.pass(500);
    expect(recorder.now()).toMatchObject({ phase: 'recording', ms: 1500 });
    expect([...fakes.takes.values()].map(({ offset, total }) => [offset, total])).toEqual([
      [0, 4],
      [6000, null],
    ]);
    expect(fakes.said).toEqual(['pause', 'resume']);
  });

  it('end when a call mutes the microphone for two seconds, and begin when it is back', async () => {
    start();
    mic.watching.muted();
    await fakes.pass(1000);
    mic.watching.unmuted();
    await fakes.pass(5000);
    expect(mic.captures).toBe(1);
    mic.watching.muted();
    await fakes.pass(2000);
    expect(recorder.now().sound).toBe('muted');
    mic.watching.unmuted();
    await fakes.pass(0);
    expect([mic.captures, recorder.now().sound]).toEqual([2, null]);
  });

  it('of other tracks continue when one is lost; without any, the recording is paused', async () => {
    start(['tab', 'mic']);
    await fakes.pass(0);
    tab.end();
    expect(recorder.now()).toMatchObject({ phase: 'recording', sound: 'tabEnded' });
    mic.end();
    expect(recorder.now()).toMatchObject({ phase: 'paused', sound: 'micEnded' });
  });

  it('that another tab records are taken over when their person says so', async () => {
    fakes.refusal = 'elsewhere';
    start();
    await hear(mic, 1);
    expect(recorder.now().offersTakeOver).toBe(true);
    recorder.takeOver();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    expect([fakes.takenOver, fakes.log.at(-1)]).toEqual([1, 'mic1 piece 1']);
    fakes.line('mic1').say({ stop: 'elsewhere' });
    expect(recorder.now().phase).toBe('elsewhere');
    expect(mic.closed).toBe(true);
  });
});

describe('the end', () => {
  it('is told to the server once it has all of the sound', async () => {
    start();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    await hear(mic, 3);
    recorder.end();
    await fakes.pass(0);
    expect(recorder.now().phase).toBe('ending');
    expect(fakes.said).toEqual([]);
    expect([...fakes.marks]).toEqual(['m']);
    fakes.line('mic1').say({ kept: 3 });
    await fakes.pass(0);
    expect(fakes.log.filter((line) => line.includes('has'))).toEqual(['mic1 has 3']);
    expect(fakes.said).toEqual(['end']);
    expect(recorder.now().phase).toBe('ended');
    expect([fakes.marks.size, fakes.takes.size, mic.closed]).toEqual([0, 0, true]);
  });

  it('by others stops the recorder, and what is on its way is still sent', async () => {
    start();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    await hear(mic, 2);
    fakes.line('mic1').say({ stop: 'ended' });
    await fakes.pass(0);
    expect(recorder.now().phase).toBe('ending');
    fakes.line('mic1').say({ kept: 2 });
    await fakes.pass(0);
    expect([recorder.now().phase, fakes.said]).toEqual(['ended', []]);
  });

  it('of the right to the meeting stops the recorder; its pieces stay on this device', async () => {
    start();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    await hear(mic, 2);
    fakes.line('mic1').close(4403);
    await fakes.pass(0);
    expect(recorder.now()).toMatchObject({ phase: 'ended', sending: 'access' });
    expect(fakes.storedNumbers()).toEqual([1, 2]);
  });

  it('of the login does not: it records on this device until the person is back', async () => {
    start();
    await fakes.pass(0);
    fakes.line('mic1').say({ kept: 0 });
    fakes.line('mic1').close(4401);
    await hear(mic, 2);
    expect(recorder.now()).toMatchObject({ phase: 'recording', sending: 'login' });
    expect(fakes.storedNumbers()).toEqual([1, 2]);
  });

  it('of a visit leaves what is not sent on this device', async () => {
    start();
    await hear(mic, 2);
    recorder.leave();
    await fakes.pass(0);
    expect(recorder.now().phase).toBe('closed');
    expect([...fakes.takes.values()].map(({ total }) => total)).toEqual([2]);
    expect(fakes.storedNumbers()).toEqual([1, 2]);
  });
});

it('ten seconds without sound are pointed out, until some is heard', async () => {
  start();
  mic.loud = 0;
  await fakes.pass(10_500);
  expect(recorder.now().sound).toBe('silent');
  mic.loud = 0.4;
  await fakes.pass(500);
  expect(recorder.now().sound).toBeNull();
});
