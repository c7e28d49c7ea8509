import { useEffect, useRef, useState, type ReactNode } from 'react';

import type { Place } from '#shared/meetings/anchors.ts';

import { useTranslation } from '../../../use-translation.ts';
import { arranged, type Arranged } from './arranged.ts';
import styles from './annotation-list.module.css';

/** Whether the passage of an annotation is gone from the transcript. */
export const isLost = ({ place }: { place: Place | undefined }): boolean =>
  place !== undefined && place.by !== 'anchor';

/**
 * Cards in the order of the transcript; annotations that lost their passage come last, under a heading. A single list:
 * a card that moved to another one would be mounted anew and lose its field and focus.
 */
export function AnnotationList<T extends { place: Place | undefined }>({
  listed,
  idOf,
  card,
  headingOf,
}: {
  listed: readonly T[];
  /** Also the React key of the card. */
  idOf: (one: T) => string;
  card: (one: T) => ReactNode;
  /** Heading of an annotation's group, above the first one of it. */
  headingOf?: (one: T) => string;
}) {
  const { t } = useTranslation('annotations');
  const container = useRef<HTMLDivElement>(null);
  // The order is frozen while a card has the focus.
  const [held, hold] = useState<readonly Arranged[] | null>(null);
  const byId = new Map(listed.map((one) => [idOf(one), one]));
  const shown = arranged(
    listed.map((one) => ({ id: idOf(one), lost: isLost(one) })),
    held,
  );
  if (held && shown.some(({ id }) => held.every((one) => one.id !== id))) hold(shown);
  useEffect(() => {
    // Removing the focused element fires no blur event.
    if (held && !container.current?.contains(document.activeElement)) hold(null);
  }, [held, listed]);
  if (shown.length === 0) return null;
  const cards = (lost: boolean) => {
    let last: string | undefined;
    return shown.flatMap((at) => {
      const one = at.lost === lost ? byId.get(at.id) : undefined;
      if (one === undefined) return [];
      const heading = lost ? undefined : headingOf?.(one);
      const begins = heading !== undefined && heading !== last;
      last = heading;
      return begins ? [<Heading key={`group ${at.id}`}>{heading}</Heading>, card(one)] : [card(one)];
    });
  };
  const lost = cards(true);
  const toLost = () => {
    const heading = container.current?.querySelector<HTMLElement>('[data-lost] h3');
    heading?.scrollIntoView({ block: 'start' });
    heading?.focus({ preventScroll: true });
  };
  return (
    <div
      ref={container}
      onFocus={() => {
        if (!held) hold(shown);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Switching windows blurs the card as well, but the focus will return.
        if (document.hasFocus() && !currentTarget.contains(relatedTarget)) hold(null);
      }}
    >
      {lost.length > 0 && lost.length < shown.length && (
        <p className={styles.lost}>
          {t('lostTitle', { count: lost.length })}
          <button type="button" className={styles.toLost} onClick={toLost}>
            {t('lostFirst')}
          </button>
        </p>
      )}
      <ol className={styles.list}>
        {[
          ...cards(false),
          lost.length > 0 && (
            <Heading key="lost" lost>
              {t('lostTitle', { count: lost.length })}
            </Heading>
          ),
          ...lost,
        ]}
      </ol>
    </div>
  );
}

function Heading({ children, lost = false }: { children: string; lost?: boolean }) {
  return (
    <li className={styles.heading} data-lost={lost || undefined}>
      <h3 tabIndex={lost ? -1 : undefined}>{children}</h3>
    </li>
  );
}
