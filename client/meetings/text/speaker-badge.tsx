import { initialsOf } from '#shared/initials.ts';
import styles from './speaker-badge.module.css';

/**
 * Initials in the speaker's colour, with a pattern beyond the first of that colour; square, because the avatars of people
 * online are round.
 */
export function SpeakerBadge({ name, color, pattern = 0 }: { name: string; color: number; pattern?: number }) {
  return (
    <span className={styles.badge} data-voice={color + 1} data-pattern={pattern || undefined} aria-hidden="true">
      {initialsOf(name) || '?'}
    </span>
  );
}
