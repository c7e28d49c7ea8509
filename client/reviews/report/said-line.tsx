import { IconExternalLink, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router-dom';

import { negative } from '#shared/meetings/outcome-types.ts';
import type { ReportView } from '#shared/reviews/report.ts';
import { ownName } from '#shared/meetings/own-types.ts';

import type { PlacePlayer } from '../../finding/place-player.tsx';
import { GradeSign } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { clockTime } from '../../ui/times.ts';
import { useTranslation } from '../../use-translation.ts';
import styles from './report.module.css';

const icon = { size: 16, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** Facts and functions of a report that each of its lines uses. */
export interface Around {
  /** Address of the sound; null without. */
  src: string | null;
  title: string;
  /** Address of the assessment view. */
  page: string;
  player: PlacePlayer;
  nameOf: (reviewerId: string) => string;
}

type Passage = ReportView['competencies'][number]['passages'][number];

interface SaidLineProps {
  said: Pick<Passage, 'id' | 'reviewerId' | 'start' | 'quote' | 'text' | 'voice' | 'late'>;
  around: Around;
  /** Type of a passage, which its grade is of. */
  type?: string;
  grade?: number | null;
  details?: Passage['children'];
  reply?: boolean;
}

/** A passage or a comment: its time plays it, and a link opens it in the transcript. */
export function SaidLine({ said, around, type = '', grade = null, details = [], reply = false }: SaidLineProps) {
  const { t } = useTranslation(['report', 'compare', 'outcomes']);
  const nameOfDetail = (type: string) =>
    ownName(type) ?? t(`outcomes:types.${type}` as 'outcomes:types.notes', { defaultValue: type });
  const { reviewerId, start, quote, text, voice, late } = said;
  const { src, title, page, player, nameOf } = around;
  const to = `${page}?t=${Math.round(start * 1000)}`;
  const time = clockTime(start * 1000);
  return (
    <li className={reply ? styles.reply : undefined}>
      {src === null || reply ? (
        <span className={styles.time}>{reply ? '' : time}</span>
      ) : (
        <button
          type="button"
          className={styles.time}
          aria-label={t('compare:play', { time })}
          onClick={() => player.play({ src, start, title, to })}
        >
          <IconPlayerPlay {...icon} /> {time}
        </button>
      )}
      <div className={styles.line}>
        {quote !== '' && !reply && <q className={styles.quote}>{quote}</q>}
        {text !== '' && <p>{text}</p>}
        {details.length > 0 && (
          <p className={styles.note}>
            {details
              .map(({ type, grade: shown }) =>
                shown === negative ? t('missing', { name: nameOfDetail(type) }) : nameOfDetail(type),
              )
              .join(' · ')}
          </p>
        )}
        {voice !== null && (
          <>
            <audio className={styles.voice} controls preload="none" src={voice} aria-label={t('voice')}>
              {/* No captions: nobody has written them. */}
              <track kind="captions" />
            </audio>
            <p className={styles.onPaper}>{t('voice')}</p>
          </>
        )}
        <p className={styles.note}>
          {nameOf(reviewerId)} {grade !== null && <GradeSign type={type} grade={grade} />}
          {late && ` · ${t('afterOpening')}`}
        </p>
      </div>
      {!reply && (
        <Link className={styles.open} to={to} aria-label={t('compare:openAt', { time })}>
          <IconExternalLink {...icon} />
        </Link>
      )}
    </li>
  );
}
