import { negative } from '#shared/meetings/outcome-types.ts';
import type { ReportView } from '#shared/reviews/report.ts';

import styles from './report.module.css';
import { inset, placeOn, scaleOf, stacked, step } from './scale.ts';

interface GradeFigureProps {
  competency: ReportView['competencies'][number];
  /** The figure in words. */
  label: string;
}

const [row, radius, size] = [9, 4, 7];
/** Rows of dots above the line; further equal grades lie on the highest one. */
const mostRows = 4;

/** Grades on their scale: a dot a reviewer, a bar for the range, a ring for the self-assessment, a diamond for the result. */
export function GradeFigure({ competency: { type, agreed, median, spread, grades, self }, label }: GradeFigureProps) {
  const dots = stacked(grades.flatMap(({ grade }) => grade ?? []));
  const rows = Math.min(mostRows, Math.max(1, ...dots.map(({ below }) => below + 1)));
  const base = rows * row + 8;
  const result = agreed ?? median;
  const own = self?.grade ?? null;
  const scale = scaleOf(
    type,
    [...grades.map(({ grade }) => grade), result, own].filter((grade) => grade !== null),
  );
  const placeOf = (grade: number) => placeOn(scale, grade);
  const width = 2 * inset + (scale.length - 1) * step;
  return (
    <svg className={styles.figure} viewBox={`0 0 ${width} ${base + 34}`} width={width} role="img" aria-label={label}>
      <line className={styles.axis} x1={inset} x2={width - inset} y1={base} y2={base} />
      {scale.map((value) => (
        <g key={value}>
          <line className={styles.axis} x1={placeOf(value)} x2={placeOf(value)} y1={base - 3} y2={base + 3} />
          <text className={styles.tick} x={placeOf(value)} y={base + 28}>
            {value === negative ? '–' : value}
          </text>
        </g>
      ))}
      {spread && (
        <line className={styles.range} x1={placeOf(spread.lowest)} x2={placeOf(spread.highest)} y1={base} y2={base} />
      )}
      {dots.map(({ grade, below }, nth) => (
        <circle
          key={nth}
          className={styles.dot}
          cx={placeOf(grade)}
          cy={base - row - Math.min(below, mostRows - 1) * row}
          r={radius}
        />
      ))}
      {own !== null && <circle className={styles.ring} cx={placeOf(own)} cy={base} r={size + 2} />}
      {result !== null && (
        <path
          className={styles.result}
          d={`M${placeOf(result)} ${base - size}l${size} ${size}l-${size} ${size}l-${size} -${size}z`}
        />
      )}
    </svg>
  );
}
