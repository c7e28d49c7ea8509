import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue } from 'jotai';
import { useId } from 'react';

import { gapsIn, lengthOf, shareOf, unionOf, type ListenedPartsAnswer, type Part } from '#shared/reviews/listened.ts';

import { useApi } from '../../api.ts';
import { Failure } from '../../errors/failure.tsx';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { usePlayerState } from '../../meetings/sound/use-player.ts';
import { useNotify } from '../../store.ts';
import { Avatar, colorOf } from '../../ui/avatar.tsx';
import { SwitchField } from '../../ui/field.tsx';
import { clockTime } from '../../ui/times.ts';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { listenedKey, playedAtom, useListenedQuery } from '../listened/listened-query.ts';
import styles from '../listened/listened.module.css';
import { peopleHeard, type PersonHeard } from '../listened/people-heard.ts';
import { PlayTime } from '../play-time.tsx';
import reviewStyles from '../reviews.module.css';
import { useRefusedText } from '../use-refused-text.ts';
import { useOpened } from './opened.ts';

/** Gaps of fewer milliseconds are between two looks at the player. */
const shortest = 1000;
/** Gaps that are listed. */
const mostListed = 20;

/** Shows what this person and others listened to, who sees it, and what nobody listened to. */
export default function ListenedPane() {
  const { t } = useTranslation('listened');
  const { review } = useOpened();
  const { data, error, refetch } = useListenedQuery(review);
  const played = useAtomValue(playedAtom);
  const known = usePlayerState(useMeeting().player).duration;
  if (!data) {
    if (error) return <Failure error={error} onRetry={() => void refetch()} />;
    return (
      <Waiting label={t('loading')}>
        <Bone height="2.5rem" />
        <Bone height="2.5rem" />
      </Waiting>
    );
  }
  const duration = data.duration ?? (known === null ? null : Math.round(known));
  const people = peopleHeard(review, data, played);
  return (
    <div className={reviewStyles.pane}>
      {data.mine && <Show shared={data.mine.shared} />}
      {people.length === 0 && <p className={reviewStyles.hint}>{t(data.mine ? 'nobody' : 'nobodyShows')}</p>}
      {duration !== null && people.length > 0 && (
        <>
          <ul className={reviewStyles.list} aria-label={t('people')}>
            {people.map((one) => (
              <Person key={one.id} one={one} duration={duration} />
            ))}
          </ul>
          <Unheard gaps={gapsIn(unionOf(people.map(({ heard }) => heard)), duration, shortest)} duration={duration} />
        </>
      )}
    </div>
  );
}

/** Switch that shows others what this person listens to. */
function Show({ shared }: { shared: boolean }) {
  const { t } = useTranslation('listened');
  const refusedText = useRefusedText();
  const { review } = useOpened();
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const key = listenedKey(review.meetingId, review.id);
  const change = useMutation({
    mutationFn: (next: boolean) =>
      parseResponse(
        api.meetings[':id'].reviews[':reviewId'].listened.$put({
          param: { id: review.meetingId, reviewId: review.id },
          json: { shared: next },
        }),
      ),
    meta: { quiet: true },
    // An answer that is under way says how it was before.
    onMutate: () => queries.cancelQueries({ queryKey: key }),
    onSuccess: (answer: ListenedPartsAnswer) => queries.setQueryData(key, answer),
    onError: (error) => {
      notify({ message: refusedText(error) });
      void queries.invalidateQueries({ queryKey: key });
    },
  });
  return (
    <SwitchField
      label={t('show')}
      hint={t(review.coverage === null ? 'showHint' : 'showHintAsked')}
      checked={change.isPending ? change.variables : shared}
      // Not disabled meanwhile, so that it keeps the focus.
      onChange={(next) => !change.isPending && change.mutate(next)}
    />
  );
}

function Person({ one, duration }: { one: PersonHeard; duration: number }) {
  const { t } = useTranslation(['listened', 'leading']);
  const { name, personId, isMe, heard } = one;
  const known = name || t('leading:list.invited');
  const length = Math.min(lengthOf(heard), duration);
  return (
    <li className={styles.person}>
      <Avatar name={known} id={personId} size={32} />
      <span className={reviewStyles.who}>
        <span>{isMe ? t('leading:you', { name: known }) : known}</span>
        <span className={reviewStyles.hint}>
          {t('listened:heard', {
            heard: clockTime(length),
            whole: clockTime(duration),
            share: shareOf(length, duration),
          })}
        </span>
        <Line parts={heard} duration={duration} voice={isMe ? null : colorOf(personId) + 1} />
      </span>
    </li>
  );
}

function Line({ parts, duration, voice }: { parts: readonly Part[]; duration: number; voice: number | null }) {
  return (
    <svg className={styles.line} viewBox={`0 0 ${duration} 6`} preserveAspectRatio="none" aria-hidden="true">
      <path
        d={parts.map(([from, to]) => `M${from} 3H${Math.min(to, duration)}`).join('')}
        stroke={voice === null ? 'var(--accent)' : `var(--voice-${voice})`}
        strokeWidth={6}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** Stretches that none of the people above listened to; a press plays one. */
function Unheard({ gaps, duration }: { gaps: readonly Part[]; duration: number }) {
  const { t } = useTranslation('listened');
  const id = useId();
  return (
    <section className={reviewStyles.pane} aria-labelledby={id}>
      <h3 id={id} className={reviewStyles.heading}>
        {t('unheard')}
      </h3>
      {gaps.length === 0 ? (
        <p className={reviewStyles.hint}>{t('all')}</p>
      ) : (
        <>
          <p className={reviewStyles.hint}>{t('unheardOf', { length: clockTime(lengthOf(gaps)) })}</p>
          <ul className={reviewStyles.passages} aria-labelledby={id}>
            {gaps.slice(0, mostListed).map(([from, to]) => (
              <li key={from} className={styles.gap}>
                <PlayTime at={from / 1000} />
                <span>{t('until', { time: clockTime(to, duration) })}</span>
              </li>
            ))}
          </ul>
          {gaps.length > mostListed && (
            <p className={reviewStyles.hint}>{t('more', { count: gaps.length - mostListed })}</p>
          )}
        </>
      )}
    </section>
  );
}
