import type { HabitKey } from '../../device-keys.ts';
import type { Store } from './browser-store.ts';

/** Sizes offered for a jump, in seconds: short ones for correcting, long ones for finding a place. */
export const jumpSizes = { short: [1, 2, 3, 5], long: [10, 15, 30, 60] } as const;
export type JumpKind = keyof typeof jumpSizes;
/** Milliseconds of each kind of jump. */
export type Jumps = Readonly<Record<JumpKind, number>>;

const usual: Jumps = { short: 2_000, long: 10_000 };

const keyOf = (kind: JumpKind): HabitKey => `colloquy-jump-${kind}`;

/** The sizes of jumps are a habit, like the playback rate: stored in this browser, for all recordings. */
export function storedJumps(store: Store): Jumps {
  const sizeOf = (kind: JumpKind): number => {
    try {
      const seconds = Number(store.getItem(keyOf(kind)));
      return jumpSizes[kind].some((offered) => offered === seconds) ? seconds * 1000 : usual[kind];
    } catch {
      return usual[kind];
    }
  };
  return { short: sizeOf('short'), long: sizeOf('long') };
}

export function storeJump(store: Store, kind: JumpKind, ms: number): void {
  try {
    store.setItem(keyOf(kind), String(ms / 1000));
  } catch {
    // Storage refused: the size lasts as long as the page.
  }
}
