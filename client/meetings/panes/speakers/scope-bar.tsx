import { useEffect, useEffectEvent, useRef, useState, type FocusEvent } from 'react';

import type { Scope } from '#shared/meetings/transcript.ts';

import { Countdown } from '../../../ui/countdown.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText, type OpenText } from '../../open/open-text.ts';
import type { Offer } from '../../text/desk.ts';
import { elementOf, placeBelow } from '../../text/place.ts';
import styles from './scope-bar.module.css';
import { useDesk } from '../../open/use-desk.ts';
import { useSpeakers } from '../../open/use-speakers.ts';

/** Milliseconds: long enough to be read and reached by who sees it for the first time. */
const stays = 10_000;

/** Offer to change more segments after one got another speaker. Closes after some seconds, or on typing. */
export function ScopeBar() {
  const { live } = useMeeting();
  const { offer } = useDesk();
  const open = useOpenText();
  if (!offer || !open || !live.editable) return null;
  return <Bar key={`${offer.segmentId} ${offer.to}`} offer={offer} open={open} />;
}

function Bar({ offer, open }: { offer: Offer; open: OpenText }) {
  const { t } = useTranslation('speakers');
  const { speakers: desk } = useMeeting();
  const voices = useSpeakers();
  const bar = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState({ pointer: false, focus: false });
  const holds = held.pointer || held.focus;
  const nameOf = (id: string) => voices.find((voice) => voice.id === id)?.name || t('unknown');

  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    element.showPopover();
    const place = () => placeBelow(element, elementOf(open.view, offer.segmentId));
    place();
    window.addEventListener('scroll', place, { capture: true, passive: true });
    return () => window.removeEventListener('scroll', place, { capture: true });
  }, [offer, open]);

  const left = useRef<Countdown | null>(null);
  useEffect(() => {
    if (holds) return;
    const countdown = (left.current ??= new Countdown(stays, desk.settled));
    countdown.run();
    return () => countdown.pause();
  }, [holds, desk]);

  const heard = useEffectEvent((event: KeyboardEvent) => {
    if (event.isComposing || (event.target instanceof Node && bar.current?.contains(event.target))) return;
    const plain = !event.altKey && !event.ctrlKey && !event.metaKey;
    // Enter and Tab act on the bar while it is open; typing closes it.
    if (event.key === 'Enter' && plain && !event.shiftKey) desk.settled();
    else if (event.key === 'Tab' && plain && !event.shiftKey) bar.current?.querySelector('button')?.focus();
    else {
      if ((plain && event.key.length === 1) || event.key === 'Backspace' || event.key === 'Delete') desk.settled();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => heard(event);
    window.addEventListener('keydown', listener, { capture: true });
    return () => window.removeEventListener('keydown', listener, { capture: true });
  }, []);

  const back = () => open.view.focus();
  const choose = (scope: Scope) => {
    back();
    desk.widen(open.binding, scope);
  };
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setHeld({ ...held, focus: false });
  };
  const name = nameOf(offer.from);
  return (
    <div
      ref={bar}
      popover="manual"
      role="toolbar"
      tabIndex={-1}
      aria-label={t('offer.label')}
      className={styles.bar}
      onPointerEnter={() => setHeld({ ...held, pointer: true })}
      onPointerLeave={() => setHeld({ ...held, pointer: false })}
      onFocus={() => setHeld({ ...held, focus: true })}
      onBlur={leave}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        back();
        desk.settled();
      }}
    >
      <span className={styles.said} role="status">
        {t('offer.said', { name: nameOf(offer.to) })}
      </span>
      <button type="button" className={styles.way} data-first onClick={() => choose('one')}>
        {t('offer.thisOnly')}
      </button>
      {offer.following > 0 && (
        <button type="button" className={styles.way} onClick={() => choose('following')}>
          {t('offer.fromHere', { number: offer.following + 1 })}
        </button>
      )}
      <button type="button" className={styles.way} onClick={() => choose('all')}>
        {t('offer.all', { name, number: offer.all + 1 })}
      </button>
    </div>
  );
}
