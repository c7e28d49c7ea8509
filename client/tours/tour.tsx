import { IconX } from '@tabler/icons-react';
import { useAtom } from 'jotai';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';

import { usePreferences } from '../preferences.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { keepStep, tourAtom, tours } from './current.ts';
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
  const next = useRef<HTMLButtonElement>(null);
  const name = useId();

  const steps = tour ? tours[tour.id] : [];
  // Steps whose target is not on the page are passed over.
  const step = steps.findIndex(({ target }, nth) => tour !== null && nth >= tour.step && find(target) !== null);
  const last = !steps.some(({ target }, nth) => nth > step && find(target) !== null);
  const before = steps.findLastIndex(({ target }, nth) => nth < step && find(target) !== null);
  const shown = steps[step];

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
    let found = find(target);
    found?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    let [frame, greeted] = [0, false];
    const follow = () => {
      frame = requestAnimationFrame(follow);
      // The page may have drawn it anew.
      if (!found?.isConnected) found = find(target);
      const [box, here] = [found?.getBoundingClientRect(), card.current];
      if (!here || !ring.current) return;
      const hidden = !box || document.querySelector(others) !== null;
      here.style.visibility = ring.current.style.visibility = hidden ? 'hidden' : 'visible';
      if (!box) return;
      const page = { width: document.documentElement.clientWidth, height: window.innerHeight };
      const { left, top } = placeCard(box, here.getBoundingClientRect(), page);
      here.style.translate = `${left}px ${top}px`;
      if (!hidden && !greeted) next.current?.focus({ preventScroll: true });
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
    const here = card.current;
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && leave();
    here?.addEventListener('keydown', onKey);
    return () => here?.removeEventListener('keydown', onKey);
  });

  if (!tour || !shown || !ready || gone) return null;
  const go = (to: number) => {
    keepStep(tour.id, to);
    setTour({ id: tour.id, step: to });
  };
  const finish = () => {
    keepStep(tour.id, 0);
    prefer({ productTours: { completedToursIds: [...new Set([...(kept.completedToursIds ?? []), tour.id])] } });
    end();
  };
  const skipAll = () => {
    keepStep(tour.id, 0);
    prefer({
      productTours: { skipAll: true, skippedToursIds: [...new Set([...(kept.skippedToursIds ?? []), tour.id])] },
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
          {before !== -1 && <Button onClick={() => go(before)}>{t('tours:back')}</Button>}
          <Button look="primary" ref={next} onClick={last ? finish : () => go(step + 1)}>
            {t(last ? 'tours:done' : 'tours:next')}
          </Button>
        </div>
      </section>
    </>
  );
}

/** The target of a step: its first match on screen, else its first match. */
function find(target: string): Element | null {
  const all = [...document.querySelectorAll(target)].filter((one) => one.getClientRects().length > 0);
  return all.find((one) => one.getBoundingClientRect().top >= 0) ?? all[0] ?? null;
}
