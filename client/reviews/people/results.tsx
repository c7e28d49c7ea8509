import { IconColumns } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useId, useState, type ReactNode } from 'react';

import type { Comment, Outcome } from '#shared/meetings/annotations.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { isAfterOpening } from '#shared/reviews/after-opening.ts';

import { Failure } from '../../errors/failure.tsx';
import { GradeSign } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { useTypeName } from '../../meetings/annotations/outcomes/use-type-name.ts';
import { comparePath } from '../../paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { usePhone } from '../../ui/use-phone.ts';
import { useSwipe } from '../../ui/use-swipe.ts';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { PlayTime } from '../play-time.tsx';
import styles from '../reviews.module.css';
import { assessmentsOf, columnsOf, namesOf, rowsOf } from './results-table.ts';
import { useLayers } from './use-layers.ts';

interface ResultsProps {
  review: ReviewView;
  /** Called once the grades, or why they did not load, are drawn. */
  onDrawn?: () => void;
}

/** Grades of each person side by side; a cell opens its passages, which play. */
export default function Results({ review, onDrawn }: ResultsProps) {
  const { t } = useTranslation(['leading', 'compare', 'assessment']);
  const columns = columnsOf(review);
  const read = useLayers(review, columns);
  const nameOf = useTypeName();
  const panel = useId();
  const phone = usePhone();
  const [open, setOpen] = useState<{ type: string | null; key: string } | null>(null);
  const [chosenKey, choose] = useState<string | null>(null);
  const names = namesOf(review);
  const assessments = columns.flatMap((column, i) => {
    const layer = read[i]?.data;
    return layer ? assessmentsOf(column, layer, names) : [];
  });
  // A phone shows one column, which is chosen by name or by a finger across.
  const at = Math.max(
    0,
    assessments.findIndex(({ key }) => key === chosenKey),
  );
  const single = phone && assessments.length > 1;
  const shown = single ? assessments.slice(at, at + 1) : assessments;
  const swipe = useSwipe((by) => choose(assessments[at + by]?.key ?? chosenKey));
  const failed = read.find(({ error, data }) => error && !data);
  const settled = failed !== undefined || read.every(({ data }) => data);
  const drawn = useEffectEvent(() => onDrawn?.());
  useEffect(() => {
    if (settled) drawn();
  }, [settled]);
  if (failed)
    return (
      <Failure error={failed.error} onRetry={() => void Promise.all(read.map(({ refetch }) => refetch()))}>
        {t('leading:results.failed')}
      </Failure>
    );
  if (read.some(({ data }) => !data))
    return (
      <Waiting>
        <Bone height="2.5rem" />
        <Bone height="2.5rem" />
      </Waiting>
    );
  const rows = rowsOf(assessments);
  const comments = assessments.some((one) => one.comments.length > 0);
  if (rows.length === 0 && !comments) return <p className={styles.hint}>{t('leading:results.none')}</p>;
  const machines = review.layers.flatMap(({ id, kind }) => (kind === 'machine' ? id : []));
  const chosen = open && shown.find(({ key }) => key === open.key);
  const labelOf = ({ name }: { name: string }) => name || t('assessment:layer.unnamed');
  const isOpen = (type: string | null, key: string) => open?.type === type && open.key === key;
  const cell = (type: string | null, key: string, count: number, grade: number | null = null) =>
    count === 0 && grade !== null ? (
      <Grade type={type ?? ''} grade={grade} />
    ) : count === 0 ? (
      <span className={styles.hint} aria-label={t('leading:results.notGiven')} role="img">
        –
      </span>
    ) : (
      <button
        type="button"
        className={styles.cell}
        aria-expanded={isOpen(type, key)}
        aria-controls={panel}
        onClick={() => setOpen(isOpen(type, key) ? null : { type, key })}
      >
        {type !== null && <Grade type={type} grade={gradeIn(rows, type, assessments, key)} />}
        <span className={styles.hint}>{t('leading:results.count', { count })}</span>
      </button>
    );
  return (
    <>
      {single && (
        <SelectField
          label={t('compare:column')}
          value={assessments[at]?.key ?? ''}
          onChange={choose}
          options={assessments.map((each) => ({ value: each.key, label: labelOf(each) }))}
        />
      )}
      {/* Scrolls sideways by keyboard, too. */}
      <div
        className={styles.scroll}
        role="group"
        aria-label={t('leading:results.caption')}
        tabIndex={0}
        data-only={single || undefined}
        {...(single && swipe)}
      >
        <table className={styles.results}>
          <thead>
            <tr>
              <th scope="col">{t('leading:results.competency')}</th>
              {shown.map((each) => (
                <th key={each.key} scope="col">
                  {labelOf(each)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ type, cells }) => (
              <tr key={type}>
                <th scope="row">{nameOf(type)}</th>
                {shown.map(({ key }) => {
                  const { outcomes, grade } = cells[assessments.findIndex((each) => each.key === key)] ?? nothing;
                  return <td key={key}>{cell(type, key, outcomes.length, grade)}</td>;
                })}
              </tr>
            ))}
            {comments && (
              <tr>
                <th scope="row">{t('leading:results.comments')}</th>
                {shown.map((each) => (
                  <td key={each.key}>{cell(null, each.key, each.comments.length)}</td>
                ))}
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {assessments.length > 1 && (
        <ButtonLink
          look="quiet"
          to={comparePath([...columns.map(({ layer }) => layer), ...machines])}
          icon={<IconColumns size={18} stroke={1.5} aria-hidden="true" />}
        >
          {t('leading:results.compare')}
        </ButtonLink>
      )}
      <div id={panel}>
        {open && chosen && (
          <Passages
            openedAt={review.firstOpenedAt}
            items={
              open.type === null ? chosen.comments : chosen.outcomes.filter((outcome) => outcome.type === open.type)
            }
          />
        )}
      </div>
    </>
  );
}

const nothing = { outcomes: [], grade: null };

function gradeIn(
  rows: ReturnType<typeof rowsOf>,
  type: string,
  assessments: readonly { key: string }[],
  key: string,
): number | null {
  const row = rows.find((one) => one.type === type);
  return row?.cells[assessments.findIndex((one) => one.key === key)]?.grade ?? null;
}

const Grade = ({ type, grade }: { type: string; grade: number | null }): ReactNode =>
  grade !== null && <GradeSign type={type} grade={grade} />;

function Passages({ items, openedAt }: { items: readonly (Outcome | Comment)[]; openedAt: string | null }) {
  const { t } = useTranslation('report');
  return (
    <ul className={styles.passages}>
      {items.map((item) => {
        const isComment = 'parent' in item;
        const words = isComment ? plainOf(item.text) : item.text;
        return (
          <li key={item.id}>
            <PlayTime at={item.start} />
            <span className={styles.who}>
              {item.quote !== '' && <q>{item.quote}</q>}
              {!isComment && item.grade !== null && (
                <span>
                  <GradeSign type={item.type} grade={item.grade} />
                </span>
              )}
              {words !== '' && <span className={styles.hint}>{words}</span>}
              {isAfterOpening(item, openedAt) && <span className={styles.hint}>{t('afterOpening')}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
