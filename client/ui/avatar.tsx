import styles from './avatar.module.css';

const rings = ['solid', 'double', 'dashed', 'dotted', 'square'] as const;
const voices = 5;

/** The first letters of up to the first two words of a name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toLocaleUpperCase() ?? '')
    .join('');
}

function sumOf(key: string): number {
  let sum = 0;
  for (const character of key) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return sum;
}

/** The same for everybody who looks: which of the five voices a person has. */
export const colorOf = (key: string): number => sumOf(key) % voices;

/** Whoever shares a voice with somebody seldom shares the ring as well. */
export const ringOf = (key: string): number => Math.floor(sumOf(key) / voices) % rings.length;

interface AvatarProps {
  name: string;
  /** What makes this person one and the same everywhere: an id or address. */
  id?: string;
  size?: 24 | 32 | 40;
  /** Said aloud; left out where the name stands beside it. */
  label?: string;
}

/** Initials in a ring. Colour and the ring's shape both tell people apart, so neither is needed alone. */
export function Avatar({ name, id, size = 32, label }: AvatarProps) {
  const key = id ?? name;
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
