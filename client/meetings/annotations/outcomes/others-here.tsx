import type { Outcome } from '#shared/meetings/annotations.ts';
import type { Place } from '#shared/meetings/anchors.ts';

import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useAnnotations, usePlaces } from '../base/open-annotations.ts';
import { keyOf } from '../base/places.ts';
import { useAsking } from '../base/use-asking.ts';
import { useAuthorName } from '../base/use-author-name.ts';
import { GradeSign } from './outcome-card.tsx';
import styles from './outcomes-pane.module.css';
import { TypeMark } from './type-mark.tsx';
import { useTypeName } from './use-type-name.ts';

/** Outcomes that are listed. */
const most = 6;

type Range = Pick<Place, 'from' | 'to'>;

/**
 * Outcomes of others on words of a passage, in an assessment: of what the page holds already, so that a blind reviewer's page
 * has none.
 */
export function useOthersAt(range: Range | null | undefined): Outcome[] {
  const { layer } = useMeeting();
  const view = useAnnotations();
  const places = usePlaces();
  const { userId, reviewerId } = useAsking();
  if (layer === null || !view || !range) return [];
  const me = reviewerId ?? userId;
  return [...view.outcome.values()].filter(({ id, author, private: isPrivate }) => {
    const place = places.get(keyOf({ kind: 'outcome', id }));
    if (!place || place.by === 'time' || isPrivate || author.id === me) return false;
    return range.from === range.to
      ? place.from <= range.from && range.from <= place.to
      : place.from < range.to && range.from < place.to;
  });
}

/** How others graded a passage, each in a line; nothing where nobody did. */
export default function OthersHere({ range }: { range: Range | undefined }) {
  const others = useOthersAt(range);
  return others.length === 0 ? null : <Others outcomes={others} />;
}

export function Others({ outcomes }: { outcomes: readonly Outcome[] }) {
  const { t } = useTranslation('ghost');
  const nameOf = useTypeName();
  const authorName = useAuthorName();
  return (
    <div className={styles.others}>
      <p className={styles.note}>{t('label')}</p>
      <ul aria-label={t('label')}>
        {outcomes.slice(0, most).map(({ id, author, type, grade }) => (
          <li key={id}>
            <TypeMark type={type} />
            <span>
              {authorName(author)}: {nameOf(type)}
            </span>
            {grade === null ? (
              <span className={styles.note}>{t('none')}</span>
            ) : (
              <GradeSign type={type} grade={grade} />
            )}
          </li>
        ))}
      </ul>
      {outcomes.length > most && <p className={styles.note}>{t('more', { count: outcomes.length - most })}</p>}
    </div>
  );
}
