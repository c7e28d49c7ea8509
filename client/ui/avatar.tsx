import styles from './avatar.module.css';

const rings = ['solid', 'double', 'dashed', 'dotted', 'square'] as const;
const voices = 5;

/** Up to two letters that stand for a name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words;
  return picked.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase() ?? '').join('');
}

/** The same for everybody who looks: which of the five voices a person has. */
export function voiceOf(key: string): number {
  let sum = 0;
  for (const character of key) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return sum % voices;
}

export interface AvatarProps {
  name: string;
  /** What makes this person one and the same everywhere: an id or address. */
  id?: string;
  size?: 24 | 32 | 40;
  /** Said aloud; left out where the name stands beside it. */
  label?: string;
}

/** Initials in a ring. Colour and the ring's shape both tell people apart, so neither is needed alone. */
export function Avatar({ name, id, size = 32, label }: AvatarProps) {
  const voice = voiceOf(id ?? name);
  return (
    <span
      className={styles.avatar}
      data-size={size}
      data-voice={voice + 1}
      data-ring={rings[voice]}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {initialsOf(name) || '·'}
    </span>
  );
}
