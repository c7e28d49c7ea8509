import { IconX } from '@tabler/icons-react';
import { useAtom } from 'jotai';
import { useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'react-router-dom';

import { usePreferences } from '../preferences.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useTranslation } from '../use-translation.ts';
import { findTarget, keepStep, stepsHere, tourAtom, tours } from './current.ts';
import { placeCard } from './place-card.ts';
import styles from './tour.module.css';

/** Dialogs and menus, beside which no tour is shown. */
const others = '[aria-modal="true"], [popover="auto"]:popover-open';

/** A card that points at a real thing of the page, which can be used meanwhile. */
export default function Tour() {
  const ready = useTexts('tours');
  const { t } = useTranslation(['tours', 'common']);
  const [tour, setTour] = useAtom(tourAtom);
  const [{ productTours: kept = {} }, prefer] = usePreferences();
  const { pathname } = useLocation();
  const [began] = useState(pathname);
  const card = useRef<HTMLElement>(null);
  const ring = useRef<HTMLDivElement>(null);
  const caller = useRef(document.activeElement);
  const onward = useRef<HTMLButtonElement>(null);
  const name = useId();

  const here = tour ? stepsHere(tour.id) : [];
  const step = here.find((nth) => nth >= (tour?.step ?? 0)) ?? -1;
  const after = here.find((nth) => nth > step);
  const before = here.findLast((nth) => nth < step);
  const shown = tour ? tours[tour.id][step] : undefined;
  const [next, ...later] = (tour?.next ?? []).filter((id) => stepsHere(id).length > 0);

  const end = () => {
    setTour(null);
    if (card.current?.contains(document.activeElement) && caller.current instanceof HTMLElement) caller.current.focus();
  };
  const gone = tour !== null && (step === -1 || began !== pathname);
  useEffect(() => {
    // On another page there is nothing to point at.
    if (gone) setTour(null);
  }, [gone, setTour]);

  const target = shown?.target;
  useEffect(() => {
    if (target === undefined || !ready) return undefined;
    let found = findTarget(target);
    found?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    let [frame, greeted] = [0, false];
    const follow = () => {
      frame = requestAnimationFrame(follow);
      // The page may have drawn it anew.
      if (!found?.isConnected) found = findTarget(target);
      const [box, shownCard] = [found?.getBoundingClientRect(), card.current];
      if (!shownCard || !ring.current) return;
      const hidden = !box || document.querySelector(others) !== null;
      shownCard.style.visibility = ring.current.style.visibility = hidden ? 'hidden' : 'visible';
      if (!box) return;
      const page = { width: document.documentElement.clientWidth, height: window.innerHeight };
      const { left, top } = placeCard(box, shownCard.getBoundingClientRect(), page);
      shownCard.style.translate = `${left}px ${top}px`;
      if (!hidden && !greeted) onward.current?.focus({ preventScroll: true });
      greeted ||= !hidden;
      const [around, edge] = [ring.current.style, 4];
      around.translate = `${box.left - edge}px ${box.top - edge}px`;
      around.inlineSize = `${box.width + 2 * edge}px`;
      around.blockSize = `${box.height + 2 * edge}px`;
    };
    follow();
    return () => cancelAnimationFrame(frame);
  }, [target, ready]);

  const leave = () => {
    if (tour) keepStep(tour.id, step);
    end();
  };
  useEffect(() => {
    const listening = card.current;
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && leave();
    listening?.addEventListener('keydown', onKey);
    return () => listening?.removeEventListener('keydown', onKey);
  });

  if (!tour || !shown || !ready || gone) return null;
  const go = (to: number) => {
    keepStep(tour.id, to);
    setTour({ ...tour, step: to });
  };
  const finish = () => {
    keepStep(tour.id, 0);
    prefer({ productTours: { completedToursIds: [...new Set([...(kept.completedToursIds ?? []), tour.id])] } });
    if (next) setTour({ id: next, step: 0, next: later });
    else end();
  };
  const skipAll = () => {
    const skipped = [tour.id, ...tour.next];
    for (const id of skipped) keepStep(id, 0);
    prefer({
      productTours: { skipAll: true, skippedToursIds: [...new Set([...(kept.skippedToursIds ?? []), ...skipped])] },
    });
    end();
  };
  return (
    <>
      <div ref={ring} className={styles.ring} />
      <section
        ref={card}
        className={styles.card}
        role="dialog"
        aria-labelledby={`${name}-title`}
        aria-describedby={`${name}-text`}
      >
        <div className={styles.head}>
          <h2 id={`${name}-title`}>{t(`tours:steps.${shown.id}.title`)}</h2>
          <IconButton
            label={t('tours:leave')}
            icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
            onClick={leave}
          />
        </div>
        <p id={`${name}-text`}>{t(`tours:steps.${shown.id}.text`)}</p>
        <div className={styles.foot}>
          <Button look="quiet" onClick={skipAll}>
            {t('tours:never')}
          </Button>
          {before !== undefined && <Button onClick={() => go(before)}>{t('tours:back')}</Button>}
          <Button look="primary" ref={onward} onClick={after === undefined ? finish : () => go(after)}>
            {t(after === undefined && !next ? 'tours:done' : 'tours:next')}
          </Button>
        </div>
      </section>
    </>
  );
}
