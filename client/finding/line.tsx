import { IconExternalLink, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router-dom';

import type { FoundPlace } from '#shared/finds.ts';
import { negative } from '#shared/meetings/outcome-types.ts';

import { useFilterNames } from '../library/filter-names.ts';
import { placeOf } from '../library/place-of-hit.ts';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './finds.module.css';
import { isAt, type PlacePlayer } from './place-player.tsx';
import { pathOfFound, type FoundRecording } from './recording-head.tsx';

interface LineProps {
  place: FoundPlace;
  recording: FoundRecording;
  player: PlacePlayer;
}

const icon = { size: 16, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** A place: a press plays it, or opens it where there is nothing to play. */
export function Line({ place, recording, player }: LineProps) {
  const { t } = useTranslation(['finding', 'library']);
  const { kind, start, before, words, after, outcome } = place;
  const { src } = recording;
  const to = placeOf(recording.id, pathOfFound(recording), place);
  const time = start === null ? null : clockTime(start * 1000);
  const text = (
    <>
      <span className={styles.where}>
        {kind !== 'words' && (!outcome || kind === 'grade') && <span>{t(`library:hits.${kind}`)} </span>}
        {time}
      </span>
      <span className={styles.words}>
        <span className={styles.before}>{before}</span>
        <mark>{words}</mark>
        <span className={styles.after}>{after}</span>
      </span>
    </>
  );
  return (
    <li className={styles.line} data-words={!outcome || undefined}>
      {outcome && <Outcome outcome={outcome} />}
      {src !== null && start !== null ? (
        <button
          type="button"
          data-line
          className={styles.place}
          aria-current={isAt(player, src, start) || undefined}
          onClick={() => player.play({ src, start, title: recording.title, to })}
        >
          <IconPlayerPlay {...icon} />
          <span className={styles.hidden}>{t('places.play')}</span>
          {text}
        </button>
      ) : (
        <Link data-line className={styles.place} to={to}>
          {text}
        </Link>
      )}
      {src !== null && start !== null && (
        <Link className={styles.open} to={to} aria-label={t('places.openAt', { time })}>
          <IconExternalLink {...icon} />
        </Link>
      )}
    </li>
  );
}

/** Type, grade and words of an outcome. */
function Outcome({ outcome: { type, label, grade, text } }: { outcome: NonNullable<FoundPlace['outcome']> }) {
  const { t } = useTranslation('finding');
  const { typeName } = useFilterNames();
  const name = typeName(type, label);
  return (
    <p className={styles.outcome}>
      <strong>
        {grade === null
          ? name
          : t('grade.chip', { type: name, grade: grade === negative ? t('grade.missing') : grade })}
      </strong>
      {text && <span> {text}</span>}
    </p>
  );
}
