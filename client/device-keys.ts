/**
 * Keys of this browser's storage that stay when a person signs out: habits of the device, which tell nobody who used
 * it or which recordings were open.
 */
const habits = [
  'colloquy-captions',
  'colloquy-doubts',
  'colloquy-jump-long',
  'colloquy-jump-short',
  'colloquy-keys',
  'colloquy-language',
  'colloquy-pane-width',
  'colloquy-player-known',
  'colloquy-rate',
  'colloquy-tour-home',
  'colloquy-tour-library',
  'colloquy-tour-recording',
  'colloquy-typing',
  // Written by Mantine.
  'mantine-color-scheme-value',
] as const;

/** Keys that stay because sound that no server has is found by them. */
const ofUnsentSound = ['colloquy-unsent-sound'] as const;

/** Type of the key of each habit, so that a new store has to enter its key above. */
export type HabitKey = (typeof habits)[number];

/** Type of the keys that sign-out deletes: they name people, recordings or files. */
export type PersonalKey =
  | 'colloquy-session'
  | 'colloquy-upload'
  | `colloquy-login-${string}`
  | `colloquy-places:${string}`;

export type KeptKey = HabitKey | (typeof ofUnsentSound)[number];

const kept: readonly KeptKey[] = [...habits, ...ofUnsentSound];

/** Whether this browser may have sound of anybody that no server has. */
export const mayHaveSound = (storage: Pick<Storage, 'getItem'>): boolean =>
  ofUnsentSound.some((key) => storage.getItem(key) !== null);

/**
 * Reads the habits and the note of unsent sound, before signing out: the answer may empty the storage. The function that
 * it returns deletes everything else, and writes them again.
 */
export function keepHabits(storage: Pick<Storage, 'getItem' | 'setItem' | 'clear'>): () => void {
  const read = () => kept.map((key) => [key, storage.getItem(key)] as const).filter(([, value]) => value !== null);
  const before = read();
  return () => {
    // Another tab may have written meanwhile.
    const values = new Map([...before, ...read()]);
    storage.clear();
    for (const [key, value] of values) if (value !== null) storage.setItem(key, value);
  };
}
