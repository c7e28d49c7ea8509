import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Place } from '#shared/meetings/anchors.ts';

import styles from './item-list.module.css';

/** Whether the very letters something was said about are gone from the text. */
export const isLost = ({ place }: { place: Place | undefined }): boolean =>
  place !== undefined && place.by !== 'anchor';

/** In the order of the text; what lost its words comes last, under a heading that says so. */
export function ItemList<T extends { place: Place | undefined }>({
  listed,
  card,
}: {
  listed: readonly T[];
  card: (one: T) => ReactNode;
}) {
  const { t } = useTranslation('items');
  const lost = listed.filter(isLost);
  const standing = listed.filter((one) => !isLost(one));
  return (
    <>
      {standing.length > 0 && <ol className={styles.list}>{standing.map(card)}</ol>}
      {lost.length > 0 && (
        <section aria-label={t('lostTitle', { count: lost.length })}>
          <h3 className={styles.lost}>{t('lostTitle', { count: lost.length })}</h3>
          <ol className={styles.list}>{lost.map(card)}</ol>
        </section>
      )}
    </>
  );
}
