import { useId, useState } from 'react';

import type { ReviewView } from '#shared/reviews.ts';
import type { AgreementView } from '#shared/reviews/agreement-view.ts';

import { Failure } from '../../errors/failure.tsx';
import { GradeSign } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { useTypeName } from '../../meetings/annotations/outcomes/use-type-name.ts';
import { Button } from '../../ui/button.tsx';
import { clockTime } from '../../ui/times.ts';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { PlayTime } from '../play-time.tsx';
import lists from '../reviews.module.css';
import { Figure } from './figure.tsx';
import styles from './agreement.module.css';
import { useAgreement, useReviewerName } from './use-agreement.ts';

type Passage = AgreementView['competencies'][number]['passages'][number];

interface AgreementProps {
  review: ReviewView;
  /** Opens the discussion at a passage; undefined where the person reads none. */
  onDiscuss?: ((passage: Passage) => void) | undefined;
}

/** How far reviewers agree, and the competencies and passages on which they differ. */
export default function Agreement({ review, onDiscuss }: AgreementProps) {
  const { t } = useTranslation('agreement');
  const { data, error, refetch } = useAgreement(review);
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
  if (data === null) return <p className={lists.hint}>{t('absent')}</p>;
  return <Figures review={review} agreement={data} onDiscuss={onDiscuss} />;
}

const gradedBy = ({ grades }: AgreementView['competencies'][number]): number =>
  grades.filter(({ grade }) => grade !== null).length;

function Figures({ review, agreement, onDiscuss }: AgreementProps & { agreement: AgreementView }) {
  const { t, i18n } = useTranslation('agreement');
  const { grades, details, children, words, competencies, blind, machine } = agreement;
  const { phase } = review;
  const number = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 0 });
  const alpha = (value: number | null) => (value === null ? t('untold') : t('alpha', { alpha: number.format(value) }));
  const share = (value: number | null, text: (share: string) => string) =>
    value === null ? null : text(percent.format(value));
  const sorted = competencies.toSorted((one, other) => other.share - one.share || gradedBy(other) - gradedBy(one));
  return (
    <div className={styles.agreement}>
      <dl className={styles.figures}>
        <Figure name={t('grades')} figure={alpha(grades.alpha)}>
          {share(grades.percent, (equal) => t('equal', { share: equal }))}
          {grades.caution && t(`caution.${grades.caution}`)}
          {blind?.interval &&
            blind.grades.units > 1 &&
            t('interval', { low: number.format(blind.interval[0]), high: number.format(blind.interval[1]) })}
          {details && details.kappa !== null && t(`details.${details.figure}`, { kappa: number.format(details.kappa) })}
        </Figure>
        <Figure name={t('children')} figure={alpha(children.alpha)}>
          {share(children.percent, (equal) => t('equalDetails', { share: equal }))}
        </Figure>
        <Figure name={t('words')} figure={alpha(words.alpha)}>
          {share(words.common, (common) => t('common', { share: common }))}
        </Figure>
        {machine && (
          <Figure name={t('machine')} figure={t('machineFound', machine)}>
            {t('machineMarked', machine)}
          </Figure>
        )}
      </dl>
      {blind && blind.grades.alpha !== grades.alpha && (
        <p className={lists.hint}>{t('atOpening', { figure: alpha(blind.grades.alpha) })}</p>
      )}
      {/* Figures of now would not be blind. */}
      {!blind && (phase === 'open' || phase === 'published') && <p className={lists.hint}>{t('notRecorded')}</p>}
      <ul className={styles.competencies} aria-label={t('competencies')}>
        {sorted.map((one) => (
          <Competency key={one.type} {...{ one, review, percent, number, onDiscuss }} />
        ))}
      </ul>
    </div>
  );
}

interface CompetencyProps extends AgreementProps {
  one: AgreementView['competencies'][number];
  percent: Intl.NumberFormat;
  number: Intl.NumberFormat;
}

function Competency({ one, review, percent, number, onDiscuss }: CompetencyProps) {
  const { type, grades, spread, share, passages } = one;
  const { t } = useTranslation('agreement');
  const [open, setOpen] = useState(false);
  const panel = useId();
  const name = useTypeName()(type);
  const nameOf = useReviewerName(review);
  return (
    <li className={styles.competency}>
      <div className={styles.head}>
        <strong>{name}</strong>
        {share > 0 && <span className={lists.hint}>{t('share', { share: percent.format(share) })}</span>}
      </div>
      <ul className={styles.grades}>
        {grades.map(({ reviewerId, grade, set }) => (
          <li key={reviewerId}>
            <span>{nameOf(reviewerId)}</span>
            {grade === null ? (
              <span className={lists.hint}>{t('none')}</span>
            ) : (
              <>
                <GradeSign type={type} grade={grade} />
                {!set && <span className={lists.hint}>{t('fromPassages')}</span>}
              </>
            )}
          </li>
        ))}
      </ul>
      {spread && <p className={lists.hint}>{t('spread', { difference: number.format(spread.difference) })}</p>}
      {passages.length > 0 && (
        <Button look="quiet" aria-expanded={open} aria-controls={panel} onClick={() => setOpen(!open)}>
          {t('passages', { count: passages.length })}
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
                  <span className={lists.hint}>{t('markedBy', { names: passage.by.map(nameOf).join(', ') })}</span>
                  {onDiscuss && (
                    <span>
                      <Button
                        look="quiet"
                        aria-label={t('discussAt', { time: clockTime(passage.start * 1000) })}
                        onClick={() => onDiscuss(passage)}
                      >
                        {t('discuss')}
                      </Button>
                    </span>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
