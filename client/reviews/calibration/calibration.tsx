import { useId, useState } from 'react';

import type { ReviewView } from '#shared/reviews.ts';
import type { Calibrated } from '#shared/reviews/calibration.ts';

import { Failure } from '../../errors/failure.tsx';
import { GradeSign } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { useTypeName } from '../../meetings/annotations/outcomes/use-type-name.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import styles from '../agreement/agreement.module.css';
import { Figure } from '../agreement/figure.tsx';
import { useReviewerName } from '../agreement/use-agreement.ts';
import { PlayTime } from '../play-time.tsx';
import lists from '../reviews.module.css';
import { useCalibration } from './use-calibration.ts';

/** How completed assessments differ from the reference, of one person at a time. */
export default function Calibration({ review }: { review: ReviewView }) {
  const { t } = useTranslation('calibration');
  const { data, error, refetch } = useCalibration(review);
  const nameOf = useReviewerName(review);
  const [chosen, choose] = useState<string | null>(null);
  if (data === undefined && error)
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('failed')}
      </Failure>
    );
  if (data === undefined)
    return (
      <Waiting label={t('waiting')}>
        <Bone height="2.5rem" />
        <Bone height="2.5rem" />
      </Waiting>
    );
  const people = data?.people ?? [];
  const own = people.find(({ reviewerId }) => reviewerId === review.mine?.id);
  const shown = people.find(({ reviewerId }) => reviewerId === chosen) ?? own ?? people[0];
  const done = [review.mine, ...review.reviewers].some((one) => one?.status === 'complete');
  if (!shown) return <p className={lists.hint}>{t(done ? 'absent' : 'noneYet')}</p>;
  return (
    <div className={styles.agreement}>
      {people.length > 1 && (
        <SelectField
          label={t('person')}
          value={shown.reviewerId}
          options={people.map(({ reviewerId }) => ({ value: reviewerId, label: nameOf(reviewerId) }))}
          onChange={choose}
        />
      )}
      <Figures calibrated={shown} />
      <ul key={shown.reviewerId} className={styles.competencies} aria-label={t('competencies')}>
        {shown.competencies.map((one) => (
          <Competency key={one.type} one={one} />
        ))}
      </ul>
    </div>
  );
}

function Figures({ calibrated }: { calibrated: Calibrated }) {
  const { t, i18n } = useTranslation('calibration');
  const { units, exact, adjacent, difference, found, missed } = calibrated;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 0 });
  const number = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  if (exact === null || adjacent === null || difference === null)
    return (
      <dl className={styles.figures}>
        <Figure name={t('equal')} figure="–">
          {t('untold')}
        </Figure>
        <Found {...{ found, missed }} />
      </dl>
    );
  const steps = number.format(Math.abs(difference));
  const isBalanced = steps === number.format(0);
  return (
    <dl className={styles.figures}>
      <Figure name={t('equal')} figure={percent.format(exact)}>
        {t('ofGrades', { count: units })}
      </Figure>
      <Figure name={t('near')} figure={percent.format(adjacent)} />
      <Figure
        name={t('direction')}
        figure={isBalanced ? t('balanced') : t(difference > 0 ? 'higher' : 'lower', { steps })}
      />
      <Found {...{ found, missed }} />
    </dl>
  );
}

function Found({ found, missed }: Pick<Calibrated, 'found' | 'missed'>) {
  const { t } = useTranslation('calibration');
  return found + missed > 0 && <Figure name={t('found')} figure={t('foundOf', { found, all: found + missed })} />;
}

function Competency({ one }: { one: Calibrated['competencies'][number] }) {
  const { type, key, grade, steps, passages, others } = one;
  const { t } = useTranslation('calibration');
  const [open, setOpen] = useState(false);
  const panel = useId();
  const name = useTypeName()(type);
  const graded = key !== null || grade !== null;
  const found = passages.filter((passage) => passage.found).length;
  return (
    <li className={styles.competency}>
      <div className={styles.head}>
        <strong>{name}</strong>
        {steps !== null && (
          <span className={lists.hint}>
            {steps === 0 ? t('same') : t(steps > 0 ? 'above' : 'below', { count: Math.abs(steps) })}
          </span>
        )}
      </div>
      {graded && (
        <ul className={styles.grades}>
          {(['reference', 'given'] as const).map((whose) => {
            const value = whose === 'given' ? grade : key;
            return (
              <li key={whose}>
                <span>{t(whose)}</span>
                {value === null ? (
                  <span className={lists.hint}>{t('none')}</span>
                ) : (
                  <GradeSign type={type} grade={value} />
                )}
              </li>
            );
          })}
        </ul>
      )}
      {others > 0 && <p className={lists.hint}>{t('others', { count: others })}</p>}
      {passages.length > 0 && (
        <Button look="quiet" aria-expanded={open} aria-controls={panel} onClick={() => setOpen(!open)}>
          {t('passages', { found, count: passages.length })}
        </Button>
      )}
      <div id={panel}>
        {open && (
          <ul className={lists.passages}>
            {passages.map((passage) => (
              <li key={passage.start}>
                <PlayTime at={passage.start} />
                <span className={lists.who}>
                  <q>{passage.quote}</q>
                  <span className={lists.hint}>{t(passage.found ? 'isFound' : 'isMissed')}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
