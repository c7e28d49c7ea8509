import { useMemo } from 'react';

import { previewOf, type PhasePreview } from '#shared/reviews/preview.ts';
import type { Review } from '#shared/reviews/review.ts';

import { useTranslation } from '../../use-translation.ts';
import styles from '../reviews.module.css';

/** Rights to write and read in each phase, by the function that gives them. */
export function Preview({ review, nameOf }: { review: Review; nameOf: (principal: string) => string }) {
  const { t } = useTranslation('leading');
  const phases = useMemo(() => previewOf(review), [review]);
  return (
    <section className={styles.part} aria-label={t('request.preview')}>
      <h3 className={styles.heading}>{t('request.preview')}</h3>
      {phases.map((phase) => (
        <Phase key={phase.phase} {...phase} atOnce={review.policy === 'student'} nameOf={nameOf} />
      ))}
    </section>
  );
}

interface PhaseProps extends PhasePreview {
  /** Published as it opens. */
  atOnce: boolean;
  nameOf: (principal: string) => string;
}

function Phase({ phase, parts, atOnce, nameOf }: PhaseProps) {
  const { t, i18n } = useTranslation('leading');
  const names = useMemo(() => new Intl.ListFormat(i18n.language, { style: 'short' }), [i18n.language]);
  const alike = new Map<string, PhasePreview['parts']>();
  for (const part of parts) {
    const key = `${part.assesses} ${part.reads}`;
    alike.set(key, [...(alike.get(key) ?? []), part]);
  }
  return (
    <table className={styles.preview}>
      <caption>{phase === 'published' && atOnce ? t('request.atOnce') : t(`request.previewPhase.${phase}`)}</caption>
      <thead>
        <tr>
          <th scope="col">{t('request.who')}</th>
          <th scope="col">{t('request.writes')}</th>
          <th scope="col">{t('request.reads')}</th>
        </tr>
      </thead>
      <tbody>
        {[...alike].map(([key, same]) => (
          <tr key={key}>
            <th scope="row">{names.format(same.map(({ principal }) => nameOf(principal)))}</th>
            <td>{t(`request.writing.${same[0]?.assesses ?? 'nothing'}`)}</td>
            <td>{t(`request.reading.${same[0]?.reads ?? 'nothing'}`)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
