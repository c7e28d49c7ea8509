import { initialsOf } from '#shared/initials.ts';
import styles from './speaker-badge.module.css';

/** Initials in the speaker's colour; square, because the avatars of people online are round. */
export function SpeakerBadge({ name, color }: { name: string; color: number }) {
  return (
    <span className={styles.badge} data-voice={color + 1} aria-hidden="true">
      {initialsOf(name) || '?'}
    </span>
  );
}
