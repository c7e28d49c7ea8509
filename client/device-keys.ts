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
  'colloquy-player-known',
  'colloquy-rate',
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

const kept: ReadonlySet<string> = new Set<KeptKey>([...habits, ...ofUnsentSound]);

/** Deletes everything but the habits and the note of unsent sound. */
export function dropPersonal(storage: Pick<Storage, 'length' | 'key' | 'removeItem'>): void {
  const keys = Array.from({ length: storage.length }, (_, place) => storage.key(place));
  for (const key of keys) if (key !== null && !kept.has(key)) storage.removeItem(key);
}
