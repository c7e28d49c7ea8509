import type { MeetingHit } from '#shared/meetings/meeting.ts';
import { lanesIn, type LanePart } from '#shared/meetings/glance.ts';

import styles from './glance.module.css';

const width = 3;
const gap = 1;
const height = 24;

/** Turns of the speakers in their colours, and the first words: both tell recordings apart. */
export function Glance({ meeting: { glance } }: { meeting: MeetingHit }) {
  if (!glance || (glance.lanes === '' && glance.opening === '')) return null;
  const parts = lanesIn(glance.lanes);
  return (
    <div className={styles.glance}>
      {parts.length > 0 && (
        <svg
          className={styles.lanes}
          viewBox={`0 0 ${parts.length * (width + gap) - gap} ${height}`}
          preserveAspectRatio="none"
          aria-hidden
        >
          {[...barsOf(parts)].map(([color, path]) => (
            <path key={color} d={path} style={{ fill: color === null ? undefined : `var(--voice-${color + 1})` }} />
          ))}
        </svg>
      )}
      {glance.opening !== '' && <p className={styles.opening}>{glance.opening}</p>}
    </div>
  );
}

/** One path for each colour: few elements, however many tiles there are. */
function barsOf(parts: readonly (LanePart | null)[]): Map<number | null, string> {
  const bars = new Map<number | null, string>();
  parts.forEach((part, nth) => {
    if (!part) return;
    const tall = Math.round(part.share * height);
    const bar = `M${nth * (width + gap)} ${(height - tall) / 2}h${width}v${tall}h-${width}z`;
    bars.set(part.color, (bars.get(part.color) ?? '') + bar);
  });
  return bars;
}
