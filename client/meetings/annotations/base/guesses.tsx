import { IconZoomQuestion } from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useEffect, useId } from 'react';

import { anchorAt, saidIn, type Anchored, type Place } from '#shared/meetings/anchors.ts';
import type { Annotation, AnnotationKind } from '#shared/meetings/annotations.ts';
import { guessesOf, type Guess } from '#shared/meetings/guesses.ts';

import { Button } from '../../../ui/button.tsx';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { isLost } from './annotation-list.tsx';
import styles from './guesses.module.css';
import { placesAtom } from './open-annotations.ts';
import quoted from './quote.module.css';

interface GuessesProps {
  kind: AnnotationKind;
  item: Annotation;
  place: Place | undefined;
  /** Guesses are looked for where the card is open. */
  open: boolean;
  onOpen: () => void;
  onGuess: (passage: Anchored) => void;
}

/** Passages where an annotation may belong whose words are gone. */
export function Guesses({ open, onOpen, ...props }: GuessesProps) {
  const { t } = useTranslation('annotations');
  if (!isLost(props)) return null;
  if (open) return <GuessList {...props} />;
  return (
    <Button look="quiet" icon={<IconZoomQuestion size={16} stroke={1.5} aria-hidden="true" />} onClick={onOpen}>
      {t('guesses.find')}
    </Button>
  );
}

function GuessList({ kind, item, onGuess }: Omit<GuessesProps, 'open' | 'onOpen' | 'place'>) {
  const { t } = useTranslation('annotations');
  const { words, live } = useMeeting();
  const text = useOpenText();
  const places = useAtomValue(placesAtom);
  const title = useId();
  const { id } = item;
  useEffect(() => () => places?.preview({ kind, id }, null), [places, kind, id]);
  if (!text) return null;
  const reading = words.reading();
  const show = (range: Guess | null) => places?.preview({ kind, id }, range);
  const take = ({ from, to }: Guess) => {
    const { generation } = live;
    const anchor = generation === null ? null : anchorAt(text.binding.doc, generation, from, to);
    onGuess({ ...saidIn(words.reading(), from, to), anchor });
  };
  return (
    <div role="group" aria-labelledby={title} className={styles.guesses}>
      <p id={title} className={styles.title}>
        {t('guesses.title')}
      </p>
      {guessesOf(reading, item).map((guess) => {
        const said = saidIn(reading, guess.from, guess.to);
        const time = clockTime(said.start * 1000);
        return (
          <button
            key={`${guess.from} ${guess.to}`}
            type="button"
            className={styles.guess}
            aria-label={t(words.timed ? 'guesses.put' : 'guesses.putUntimed', { time, words: said.quote })}
            onPointerEnter={() => show(guess)}
            onPointerLeave={() => show(null)}
            onFocus={() => show(guess)}
            onBlur={() => show(null)}
            onClick={() => take(guess)}
          >
            <span className={quoted.time}>
              {t(`guesses.${guess.by}`)}
              {words.timed && ` · ${time}`}
            </span>
            <span className={quoted.words}>{said.quote}</span>
          </button>
        );
      })}
    </div>
  );
}
