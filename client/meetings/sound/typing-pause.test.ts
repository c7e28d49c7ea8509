import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { keepTypingChoice, keptTypingChoice, TypingPause, type TypingChoice } from './typing-pause.ts';

/** A sound that does what it is told, and nothing else: time passes only where a test says so. */
class Sound {
  ms = 10_000;
  inStretch = false;
  state = { playing: true, waiting: false, failed: null, duration: 60_000, rate: 1 };
  readonly did: string[] = [];
  private heard = () => {};
  now = () => this.state;
  subscribe = (changed: () => void) => {
    this.heard = changed;
    return () => (this.heard = () => {});
  };
  play(from?: number) {
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

describe('a key, and a second of nothing', () => {
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

it('starts nothing that was not playing', () => {
  const { sound, pause } = typing('back');
  sound.set({ playing: false });
  pause.typed();
  vi.advanceTimersByTime(5_000);
  expect(sound.did).toEqual([]);
});

it('is not asked any more when somebody plays meanwhile', () => {
  const { sound, pause } = typing('back');
  pause.typed();
  sound.play(30_000);
  vi.advanceTimersByTime(5_000);
  expect(sound.did).toEqual(['pause', 'play 30000']);
});

it('leaves a rate alone that was chosen meanwhile', () => {
  const { sound, pause } = typing('slow');
  pause.typed();
  sound.setRate(2);
  vi.advanceTimersByTime(1_000);
  expect(sound.did).toEqual(['rate 0.5', 'rate 2']);
});

it('ends with the page', () => {
  const { sound, pause, close } = typing('back');
  pause.typed();
  close();
  vi.advanceTimersByTime(5_000);
  expect(sound.did).toEqual(['pause']);
});

describe('the choice kept in the browser', () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  it('comes back, and anything else is the usual one', () => {
    expect(keptTypingChoice(store)).toBe('back');
    keepTypingChoice(store, 'slow');
    expect(keptTypingChoice(store)).toBe('slow');
    kept.set([...kept.keys()][0] ?? '', 'loud');
    expect(keptTypingChoice(store)).toBe('back');
  });

  it('does without storage', () => {
    const refused = {
      getItem: () => {
        throw new DOMException('refused', 'SecurityError');
      },
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    expect(keptTypingChoice(refused)).toBe('back');
    expect(() => keepTypingChoice(refused, 'off')).not.toThrow();
  });
});

it('lets a stretch that was played by itself be over', () => {
  const { sound, pause } = typing('back');
  sound.inStretch = true;
  pause.typed();
  vi.advanceTimersByTime(5_000);
  expect(sound.did).toEqual(['pause']);
});
