import type { Store } from './browser-store.ts';
import type { Player } from './player.ts';

/** What becomes of the sound while somebody types. */
export const typingChoices = ['off', 'pause', 'back', 'slow'] as const;
export type TypingChoice = (typeof typingChoices)[number];

/** So long after the last key it goes on, and so much before where it stopped. */
const idle = 1_000;
const stepBack = 1_500;

const key = 'colloquy-typing';

/** Kept in this browser: whether hands are free depends on where one sits. */
export function keptTypingChoice(store: Store): TypingChoice {
  try {
    const kept = store.getItem(key);
    return typingChoices.find((one) => one === kept) ?? 'back';
  } catch {
    return 'back';
  }
}

export function keepTypingChoice(store: Store, choice: TypingChoice): void {
  try {
    store.setItem(key, choice);
  } catch {
    // Storage refused: the choice lasts as long as the page.
  }
}

type Sound = Pick<Player, 'now' | 'ms' | 'inStretch' | 'play' | 'pause' | 'setRate' | 'subscribe'>;

/** Lets nobody miss what is said while they write. */
export class TypingPause {
  private chosen: TypingChoice;
  /** What was interrupted: at a place, or at a rate. */
  private held: { at: number } | { rate: number; slowed: number } | null = null;
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

  /** Waiting to go on by itself. */
  get holding(): boolean {
    return this.held !== null;
  }

  open(): () => void {
    // Whoever plays it meanwhile has decided themselves.
    const unsubscribe = this.sound.subscribe(() => {
      if (this.held && 'at' in this.held && this.sound.now().playing) this.drop();
    });
    return () => {
      unsubscribe();
      this.drop();
    };
  }

  typed(): void {
    if (!this.held) {
      const { playing, rate } = this.sound.now();
      if (this.choice === 'off' || !playing) return;
      // A word that was played by itself is done with: nobody was listening further.
      if (this.sound.inStretch) return this.sound.pause();
      if (this.choice === 'slow') {
        const slowed = Math.max(0.5, rate / 2);
        this.held = { rate, slowed };
        this.sound.setRate(slowed);
      } else {
        this.held = { at: this.sound.ms };
        this.sound.pause();
      }
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.goOn(), idle);
  }

  private goOn(): void {
    const { held } = this;
    this.drop();
    if (!held) return;
    if ('at' in held) this.sound.play(this.choice === 'back' ? Math.max(0, held.at - stepBack) : held.at, 'quiet');
    else if (this.sound.now().rate === held.slowed) this.sound.setRate(held.rate);
  }

  /** Somebody asked for another place: nothing is owed any more. */
  drop(): void {
    clearTimeout(this.timer);
    this.held = null;
  }
}
