import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { storeTypingChoice, storedTypingChoice, TypingPause, type TypingChoice } from './typing-pause.ts';

/** Fake player; time passes only where a test says so. */
class Sound {
  ms = 10_000;
  inStretch = false;
  state = {
    playing: true,
    waiting: false,
    failed: null,
    duration: 60_000,
    rate: 1,
    jumps: { short: 2_000, long: 10_000 },
  };
  readonly did: string[] = [];
  private heard = () => {};
  private started = () => {};
  now = () => this.state;
  subscribe = (changed: () => void) => {
    this.heard = changed;
    return () => (this.heard = () => {});
  };
  onStart = (started: () => void) => {
    this.started = started;
    return () => (this.started = () => {});
  };
  play(from?: number, how: 'asked' | 'quiet' = 'asked') {
    if (how === 'asked') this.started();
    if (from !== undefined) this.ms = from;
    this.did.push(`play ${this.ms}`);
    this.set({ playing: true });
  }
  pause() {
    this.did.push('pause');
    this.set({ playing: false });
  }
  setRate(rate: number) {
    this.did.push(`rate ${rate}`);
    this.set({ rate });
  }
  set(change: Partial<Sound['state']>) {
    this.state = { ...this.state, ...change };
    this.heard();
  }
}

function typing(choice: TypingChoice) {
  const sound = new Sound();
  const pause = new TypingPause(sound, choice);
  const close = pause.open();
  return { sound, pause, close };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a key, then a second of silence', () => {
  it.each<[TypingChoice, string[]]>([
    ['off', []],
    ['pause', ['pause', 'play 10000']],
    ['back', ['pause', 'play 8500']],
    ['slow', ['rate 0.5', 'rate 1']],
  ])('%s', (choice, did) => {
    const { sound, pause } = typing(choice);
    pause.typed();
    vi.advanceTimersByTime(999);
    expect(sound.did).toEqual(did.slice(0, 1));
    vi.advanceTimersByTime(1);
    expect(sound.did).toEqual(did);
  });
});

/** A key, a second of silence, and as much listening as given. */
function correct({ sound, pause }: Pick<ReturnType<typeof typing>, 'sound' | 'pause'>, listening: number) {
  pause.typed();
  vi.advanceTimersByTime(1_000);
  sound.ms += listening;
}

describe('a stretch of typing', () => {
  it('steps back at its first pause only', () => {
    const one = typing('back');
    for (const listening of [500, 4_999, 3_000, 0]) correct(one, listening);
    expect(one.sound.did.filter((did) => did !== 'pause')).toEqual([
      'play 8500',
      'play 9000',
      'play 13999',
      'play 16999',
    ]);
  });

  it('never steps back with the choice to only pause', () => {
    const one = typing('pause');
    for (const listening of [6_000, 500]) correct(one, listening);
    expect(one.sound.did.filter((did) => did !== 'pause')).toEqual(['play 10000', 'play 16000']);
  });

  it.each<[string, (sound: Sound, pause: TypingPause) => void]>([
    [
      'play',
      (sound) => {
        sound.pause();
        sound.play();
      },
    ],
    // A click on a time drops the pause, too.
    ['a jump', (_sound, pause) => pause.drop()],
    ['five seconds of listening', (sound) => (sound.ms += 4_500)],
    [
      'five seconds of listening at double speed',
      (sound) => {
        sound.set({ rate: 2 });
        sound.ms += 9_500;
      },
    ],
  ])('ends with %s: the next pause steps back again', (_name, event) => {
    const one = typing('back');
    correct(one, 500);
    event(one.sound, one.pause);
    const { ms } = one.sound;
    correct(one, 0);
    expect(one.sound.did.at(-1)).toBe(`play ${ms - 1_500}`);
  });

  it('does not end with less listening at double speed', () => {
    const one = typing('back');
    correct(one, 500);
    one.sound.set({ rate: 2 });
    one.sound.ms += 9_000;
    const { ms } = one.sound;
    correct(one, 0);
    expect(one.sound.did.at(-1)).toBe(`play ${ms}`);
  });
});

it('waits for the last key', () => {
  const { sound, pause } = typing('back');
  for (let i = 0; i < 5; i += 1) {
    pause.typed();
    vi.advanceTimersByTime(900);
  }
  expect(sound.did).toEqual(['pause']);
  vi.advanceTimersByTime(100);
  expect(sound.did).toEqual(['pause', 'play 8500']);
});

it('never goes back before the beginning', () => {
  const { sound, pause } = typing('back');
  sound.ms = 400;
  pause.typed();
  vi.advanceTimersByTime(1_000);
  expect(sound.did).toEqual(['pause', 'play 0']);
});

it('starts nothing if playback was paused', () => {
  const { sound, pause } = typing('back');
  sound.set({ playing: false });
  pause.typed();
  vi.advanceTimersByTime(5_000);
  expect(sound.did).toEqual([]);
});

it('does nothing after playback was started by hand', () => {
  const { sound, pause } = typing('back');
  pause.typed();
  sound.play(30_000);
  vi.advanceTimersByTime(5_000);
  expect(sound.did).toEqual(['pause', 'play 30000']);
});

it('keeps a rate chosen meanwhile', () => {
  const { sound, pause } = typing('slow');
  pause.typed();
  sound.setRate(2);
  vi.advanceTimersByTime(1_000);
  expect(sound.did).toEqual(['rate 0.5', 'rate 2']);
});

it.each<[string, (sound: Sound, pause: TypingPause) => void]>([
  [
    'a pause and play',
    (sound) => {
      sound.pause();
      sound.play();
    },
  ],
  // A click on a time drops the pause, too.
  ['a jump', (_sound, pause) => pause.drop()],
])('does not stay slow after %s', (_name, event) => {
  const { sound, pause } = typing('slow');
  pause.typed();
  expect(sound.state.rate).toBe(0.5);
  event(sound, pause);
  expect(sound.state.rate).toBe(1);
  pause.typed();
  vi.advanceTimersByTime(1_000);
  expect(sound.state.rate).toBe(1);
});

it('ends with the page', () => {
  const { sound, pause, close } = typing('back');
  pause.typed();
  close();
  vi.advanceTimersByTime(5_000);
  expect(sound.did).toEqual(['pause']);
});

describe('the choice stored in the browser', () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  it('is read back; unknown values become the default', () => {
    expect(storedTypingChoice(store)).toBe('back');
    storeTypingChoice(store, 'slow');
    expect(storedTypingChoice(store)).toBe('slow');
    kept.set([...kept.keys()][0] ?? '', 'loud');
    expect(storedTypingChoice(store)).toBe('back');
  });

  it('works without storage', () => {
    const refused = {
      getItem: () => {
        throw new DOMException('refused', 'SecurityError');
      },
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    expect(storedTypingChoice(refused)).toBe('back');
    expect(() => storeTypingChoice(refused, 'off')).not.toThrow();
  });
});

it('stops an excerpt without resuming it', () => {
  const { sound, pause } = typing('back');
  sound.inStretch = true;
  pause.typed();
  vi.advanceTimersByTime(5_000);
  expect(sound.did).toEqual(['pause']);
});
