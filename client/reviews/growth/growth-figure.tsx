import { useId, type MouseEvent } from 'react';
import { Link } from 'react-router-dom';

import { negative } from '#shared/meetings/outcome-types.ts';
import type { GrowthAnswer, GrowthLine, GrowthPoint } from '#shared/reviews/growth.ts';

import type { PlacePlayer } from '../../finding/place-player.tsx';
import { gradeText } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { useTypeName } from '../../meetings/annotations/outcomes/use-type-name.ts';
import { peerPath, reportPath } from '../../paths.ts';
import { useTranslation } from '../../use-translation.ts';
import { scaleOf } from '../report/scale.ts';
import styles from './growth.module.css';

const [left, top, column, row, radius] = [28, 12, 64, 24, 6];

interface GrowthFigureProps {
  line: GrowthLine;
  points: readonly GrowthPoint[];
  agreement: GrowthAnswer['agreements'][number] | undefined;
  player: PlacePlayer;
}

/** One competency over all reports: a dot a grade, a bar for the range, a ring for the self-assessment; a dot plays. */
export function GrowthFigure({ line: { type, points: given }, points, agreement, player }: GrowthFigureProps) {
  const { i18n } = useTranslation();
  const id = useId();
  const name = useTypeName()(type);
  const scale = scaleOf(
    type,
    given.flatMap(({ grade, self, spread }) =>
      [grade, self, spread?.lowest, spread?.highest].filter((one) => typeof one === 'number'),
    ),
  );
  const bottom = top + (scale.length - 1) * row;
  const width = left + points.length * column;
  const x = (nth: number) => left + (nth + 0.5) * column;
  const y = (grade: number) => bottom - scale.indexOf(grade) * row;
  const short = new Intl.DateTimeFormat(i18n.language, { day: 'numeric', month: 'short' });
  const graded = given.flatMap(({ nth, grade }) => (grade === null ? [] : [`${x(nth)},${y(grade)}`]));
  return (
    <section className={styles.figure} aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <div className={styles.scroll}>
        <svg
          viewBox={`0 0 ${width} ${bottom + 40}`}
          width={width}
          height={bottom + 40}
          aria-labelledby={id}
          role="group"
        >
          {scale.map((grade) => (
            <g key={grade} aria-hidden="true">
              <line className={styles.grid} x1={left} x2={width} y1={y(grade)} y2={y(grade)} />
              <text className={styles.tick} x={left - 10} y={y(grade) + 4}>
                {grade === negative ? '–' : grade}
              </text>
            </g>
          ))}
          {points.map(({ reviewId, date }, nth) => (
            <text key={reviewId} className={styles.date} x={x(nth)} y={bottom + 30} aria-hidden="true">
              {short.format(new Date(date))}
            </text>
          ))}
          <polyline className={styles.line} points={graded.join(' ')} aria-hidden="true" />
          {given.map((one) => {
            const point = points[one.nth];
            return (
              point && (
                <Point
                  key={point.reviewId}
                  type={type}
                  given={one}
                  point={point}
                  at={{ x: x(one.nth), y, bottom }}
                  player={player}
                />
              )
            );
          })}
        </svg>
      </div>
      {agreement && <Agreement of={agreement} />}
    </section>
  );
}

/** How far reviewers agree on the competency, over all recordings. */
function Agreement({ of: { recordings, alpha, percent } }: { of: GrowthAnswer['agreements'][number] }) {
  const { t, i18n } = useTranslation('growth');
  const number = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const share = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <p className={styles.key}>
      {alpha === null
        ? t('agreementSame', { recordings })
        : t('agreement', { recordings, alpha: number.format(alpha), equal: share.format(percent ?? 0) })}
    </p>
  );
}

interface PointProps {
  type: string;
  given: GrowthLine['points'][number];
  point: GrowthPoint;
  at: { x: number; y: (grade: number) => number; bottom: number };
  player: PlacePlayer;
}

/** A link to the report; it plays the first passage where there is one. */
function Point({ type, given, point, at: { x, y, bottom }, player }: PointProps) {
  const { grade, self, spread, start } = given;
  const { meetingId, reviewId, src } = point;
  const title = useTitle(point);
  const label = useLabel(type, given, point);
  const play = (event: MouseEvent) => {
    if (src === null || start === null || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    player.play({ src, start, title, to: `${peerPath(meetingId, reviewId)}?t=${Math.round(start * 1000)}` });
  };
  return (
    <Link className={styles.point} to={reportPath(meetingId, reviewId)} aria-label={label} onClick={play}>
      <title>{label}</title>
      <rect className={styles.hit} x={x - column / 2} y={0} width={column} height={bottom + 12} />
      {spread && (
        <path className={styles.range} d={`M${x - 5} ${y(spread.lowest)}h10m-5 0V${y(spread.highest)}m-5 0h10`} />
      )}
      {self !== null && <circle className={styles.self} cx={x} cy={y(self)} r={radius + 3} />}
      {grade !== null && <circle className={styles.dot} cx={x} cy={y(grade)} r={radius} />}
    </Link>
  );
}

function useTitle({ title }: GrowthPoint): string {
  const { t } = useTranslation('library');
  return title || t('untitled');
}

/** A point in words: day, recording, and all that was given. */
function useLabel(type: string, { grade, self, spread }: PointProps['given'], point: GrowthPoint): string {
  const { t, i18n } = useTranslation(['growth', 'outcomes']);
  const title = useTitle(point);
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long' }).format(new Date(point.date));
  const says = (value: number) => gradeText(t, type, value);
  const range = spread !== null && spread.lowest < spread.highest ? spread : null;
  return [
    `${day}, ${title}`,
    grade === null ? t('noGrade') : says(grade),
    range && t('range', { lowest: says(range.lowest), highest: says(range.highest) }),
    self !== null && t('self', { grade: says(self) }),
  ]
    .filter(Boolean)
    .join('; ');
}
