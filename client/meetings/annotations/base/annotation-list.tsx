import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Place } from '#shared/meetings/anchors.ts';

import { arranged, type Arranged } from './arranged.ts';
import styles from './annotation-list.module.css';

/** Whether the very letters something was said about are gone from the text. */
export const isLost = ({ place }: { place: Place | undefined }): boolean =>
  place !== undefined && place.by !== 'anchor';

/**
 * In the order of the text; what lost its words comes last, under a heading that says so. All in one list: a card that
 * went to another would be made anew, in the middle of what is written or spoken in it.
 */
export function AnnotationList<T extends { place: Place | undefined }>({
  listed,
  idOf,
  card,
}: {
  listed: readonly T[];
  /** The key of its card, too. */
  idOf: (one: T) => string;
  card: (one: T) => ReactNode;
}) {
  const { t } = useTranslation('annotations');
  const place = useRef<HTMLDivElement>(null);
  // Nothing moves while somebody is in one of the cards.
  const [held, hold] = useState<readonly Arranged[] | null>(null);
  const byId = new Map(listed.map((one) => [idOf(one), one]));
  const shown = arranged(
    listed.map((one) => ({ id: idOf(one), lost: isLost(one) })),
    held,
  );
  if (held && shown.some(({ id }) => held.every((one) => one.id !== id))) hold(shown);
  useEffect(() => {
    // What had the focus may have gone, of which nothing is told.
    if (held && !place.current?.contains(document.activeElement)) hold(null);
  }, [held, listed]);
  if (shown.length === 0) return null;
  const cards = (lost: boolean) =>
    shown.flatMap((at) => {
      const one = at.lost === lost ? byId.get(at.id) : undefined;
      return one === undefined ? [] : [card(one)];
    });
  const lost = cards(true);
  return (
    <div
      ref={place}
      onFocus={() => {
        if (!held) hold(shown);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // A window that is left gives the focus back later.
        if (document.hasFocus() && !currentTarget.contains(relatedTarget)) hold(null);
      }}
    >
      <ol className={styles.list}>
        {[
          ...cards(false),
          lost.length > 0 && (
            <li key="lost" className={styles.lost}>
              <h3>{t('lostTitle', { count: lost.length })}</h3>
            </li>
          ),
          ...lost,
        ]}
      </ol>
    </div>
  );
}
