import type { HabitKey } from '../../device-keys.ts';
import type { Store } from './browser-store.ts';
import type { Player } from './player.ts';

/** Options for playback while typing. */
export const typingChoices = ['off', 'pause', 'back', 'slow'] as const;
export type TypingChoice = (typeof typingChoices)[number];

/** Resumes this long after the last key, and the first time this much before the pause. */
const idle = 1_000;
const stepBack = 1_500;
/** After this much listening, typing is about something new. */
const listened = 5_000;

const key: HabitKey = 'colloquy-typing';

/** Stored in this browser, because it depends on where the person works. */
export function storedTypingChoice(store: Store): TypingChoice {
  try {
    const kept = store.getItem(key);
    return typingChoices.find((one) => one === kept) ?? 'back';
  } catch {
    return 'back';
  }
}

export function storeTypingChoice(store: Store, choice: TypingChoice): void {
  try {
    store.setItem(key, choice);
  } catch {
    // Storage refused: the choice lasts as long as the page.
  }
}

type Sound = Pick<Player, 'now' | 'ms' | 'inStretch' | 'play' | 'pause' | 'setRate' | 'subscribe' | 'onStart'>;

/**
 * Pauses or slows playback while typing, so that nothing is missed. The first pause steps back; later ones continue
 * where the sound stopped, until the person plays, jumps or has listened for a while.
 */
export class TypingPause {
  private chosen: TypingChoice;
  /** Interrupted playback: its position, or its rate. */
  private interrupted: { at: number } | { rate: number; slowed: number } | null = null;
  /** Position from which playback resumed after the last pause; null before the first one. */
  private resumedAt: number | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly sound: Sound;

  constructor(sound: Sound, choice: TypingChoice) {
    this.sound = sound;
    this.chosen = choice;
  }

  get choice(): TypingChoice {
    return this.chosen;
  }

  choose(choice: TypingChoice): void {
    this.chosen = choice;
  }

  /** True while waiting to resume. */
  get holding(): boolean {
    return this.interrupted !== null;
  }

  open(): () => void {
    // Playing by hand cancels the automatic resume.
    const ends = [
      this.sound.onStart(() => this.drop()),
      this.sound.subscribe(() => {
        if (this.interrupted && 'at' in this.interrupted && this.sound.now().playing) this.drop();
      }),
    ];
    return () => {
      for (const end of ends) end();
      this.drop();
    };
  }

  typed(): void {
    if (!this.interrupted) {
      const { playing, rate } = this.sound.now();
      if (this.choice === 'off' || !playing) return;
      // An excerpt is stopped for good, because nothing was playing before it.
      if (this.sound.inStretch) return this.sound.pause();
      if (this.choice === 'slow') {
        const slowed = Math.max(0.5, rate / 2);
        this.interrupted = { rate, slowed };
        this.sound.setRate(slowed);
      } else {
        const { ms } = this.sound;
        if (this.resumedAt !== null && ms - this.resumedAt >= listened * rate) this.resumedAt = null;
        this.interrupted = { at: ms };
        this.sound.pause();
      }
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.resume(), idle);
  }

  private resume(): void {
    const { interrupted, resumedAt } = this;
    this.interrupted = null;
    if (!interrupted) return;
    if ('at' in interrupted) {
      const first = resumedAt === null && this.choice === 'back';
      this.resumedAt = Math.max(0, interrupted.at - (first ? stepBack : 0));
      this.sound.play(this.resumedAt, 'quiet');
    } else this.restore(interrupted);
  }

  /** Cancels the resume, as after a jump, but not a slowed rate; the next pause steps back again. */
  drop(): void {
    clearTimeout(this.timer);
    const { interrupted } = this;
    this.interrupted = null;
    this.resumedAt = null;
    if (interrupted && 'rate' in interrupted) this.restore(interrupted);
  }

  /** Sets the rate from before typing, unless another was chosen meanwhile. */
  private restore({ rate, slowed }: { rate: number; slowed: number }): void {
    if (this.sound.now().rate === slowed) this.sound.setRate(rate);
  }
}
