import { initialsOf } from '#shared/initials.ts';

import styles from './avatar.module.css';

const rings = ['solid', 'double', 'dashed', 'dotted', 'square'] as const;
const colors = 5;

function sumOf(key: string): number {
  let sum = 0;
  for (const character of key) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return sum;
}

/** One of the five colours, the same for every viewer. */
export const colorOf = (key: string): number => sumOf(key) % colors;

/** Ring shape; people with the same colour rarely share it. */
export const ringOf = (key: string): number => Math.floor(sumOf(key) / colors) % rings.length;

interface AvatarProps {
  name: string;
  /** Account of the person, or `personKey`. */
  id?: string;
  size?: 24 | 32 | 40;
  /** Accessible name; omitted where the name is shown beside it. */
  label?: string;
}

/** Initials in a ring. Colour and ring shape each tell people apart, so neither is needed alone. */
export function Avatar({ name, id, size = 32, label }: AvatarProps) {
  const key = id || name;
  return (
    <span
      className={styles.avatar}
      data-size={size}
      data-voice={colorOf(key) + 1}
      data-ring={rings[ringOf(key)]}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {initialsOf(name) || '·'}
    </span>
  );
}
