import styles from './waveform.module.css';
import { heardLine, type HeardLine } from './heard-lines.ts';

interface HeardStripProps {
  lines: readonly HeardLine[];
  duration: number;
}

/** Lines below the wave, one for each person, of what they listened to. Decoration: a pane says so in words. */
export default function HeardStrip({ lines, duration }: HeardStripProps) {
  const height = lines.length * heardLine;
  return (
    <svg
      className={styles.heardLines}
      viewBox={`0 0 ${duration} ${height}`}
      preserveAspectRatio="none"
      height={height}
      data-heard-lines={lines.length}
      aria-hidden="true"
    >
      {lines.map(({ key, voice, parts }, i) => (
        <path
          key={key}
          d={parts.map(([from, to]) => `M${from} ${i * heardLine + 2}H${Math.min(to, duration)}`).join('')}
          stroke={voice === null ? 'var(--accent)' : voice === 0 ? 'var(--ink-muted)' : `var(--voice-${voice})`}
          strokeWidth={2}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}
