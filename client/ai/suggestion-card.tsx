import { IconCheck, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

import type { RejectReason, SuggestionView } from '#shared/ai/suggestions.ts';

import { writtenByHand } from '#shared/ai/views.ts';

import { TypeMark } from '../meetings/annotations/outcomes/type-mark.tsx';
import { useTypeName } from '../meetings/annotations/outcomes/use-type-name.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { Button } from '../ui/button.tsx';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './suggestions.module.css';
import type { Decision } from './use-detection.ts';

const reasons: readonly RejectReason[] = ['type', 'place', 'meaning', 'unimportant', 'other'];
const icon = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

interface SuggestionCardProps {
  suggestion: SuggestionView;
  /** Null for people who only read. */
  onDecide: ((decision: Decision) => void) | null;
}

/** One suggested outcome with its words, which play; `A` accepts it, `R` asks why not. */
export function SuggestionCard({ suggestion, onDecide }: SuggestionCardProps) {
  const { t } = useTranslation('suggestions');
  const { player } = useMeeting();
  const nameOf = useTypeName();
  const { id, type, typeChoices, text, reason, quote, start, author } = suggestion;
  const [chosen, choose] = useState(type);
  const [rejecting, setRejecting] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  const first = useRef<HTMLDivElement>(null);
  const accept = () => onDecide?.({ do: 'accept', id, type: chosen });
  const heard = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    if (onDecide === null || event.altKey || event.ctrlKey || event.metaKey || target instanceof HTMLInputElement)
      return;
    if (key === 'Escape' && rejecting) {
      event.stopPropagation();
      setRejecting(false);
      card.current?.focus();
    } else if (/^[aф]$/iu.test(key)) accept();
    else if (/^[rк]$/iu.test(key)) setRejecting(true);
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const element = card.current;
    const listener = (event: KeyboardEvent) => heard(event);
    element?.addEventListener('keydown', listener);
    return () => element?.removeEventListener('keydown', listener);
  }, []);
  useEffect(() => {
    if (rejecting) first.current?.querySelector('button')?.focus();
  }, [rejecting]);
  const time = clockTime(start * 1000);
  return (
    <li ref={card} tabIndex={-1} className={styles.card} aria-label={t('card', { type: nameOf(type), quote })}>
      <p className={styles.name}>
        <TypeMark type={chosen} />
        {nameOf(chosen)}
      </p>
      <p>{text}</p>
      <button
        type="button"
        className={styles.quote}
        aria-label={t('play', { time, words: quote })}
        onClick={() => player.play(start * 1000)}
      >
        <IconPlayerPlay size={14} stroke={1.5} aria-hidden="true" />
        <span className={styles.time}>{time}</span>
        <span>{quote}</span>
      </button>
      <p className={styles.hint}>
        {reason !== '' && `${reason} `}
        {author.name === writtenByHand ? t('byHand') : t('by', { model: author.name })}
      </p>
      {onDecide !== null && typeChoices.length > 0 && (
        <div role="group" aria-label={t('as')} className={styles.actions}>
          {[type, ...typeChoices].map((one) => (
            <button
              key={one}
              type="button"
              className={styles.choice}
              aria-pressed={one === chosen}
              onClick={() => choose(one)}
            >
              {nameOf(one)}
            </button>
          ))}
        </div>
      )}
      {onDecide === null ? null : rejecting ? (
        <div role="group" aria-label={t('why')} className={styles.actions} ref={first}>
          <p className={styles.why}>{t('why')}</p>
          {reasons.map((one) => (
            <button
              key={one}
              type="button"
              className={styles.choice}
              onClick={() => onDecide?.({ do: 'reject', id, reason: one })}
            >
              {t(`reasons.${one}`)}
            </button>
          ))}
        </div>
      ) : (
        <div className={styles.actions}>
          <Button icon={<IconCheck {...icon} />} aria-keyshortcuts="A" onClick={accept}>
            {t('accept')}
          </Button>
          <Button
            look="quiet"
            icon={<IconX {...icon} />}
            aria-keyshortcuts="R"
            aria-expanded={false}
            onClick={() => setRejecting(true)}
          >
            {t('reject')}
          </Button>
        </div>
      )}
    </li>
  );
}
