import { Link } from 'react-router-dom';

import type { MeetingHit, MeetingsAnswer } from '#shared/meetings/meeting.ts';

import { meetingPath, peerPath } from '../paths.ts';
import { useSession } from '../session.ts';
import { Tick } from '../ui/field.tsx';
import { StateMark } from '../ui/state-mark.tsx';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import { costText } from './cost-text.ts';
import { draggable } from './dragging.ts';
import { lieAt, placeName } from './folders-query.ts';
import styles from './library.module.css';
import { isFiltered, sameSpot, spotOf, type Going, type Place } from './place.ts';
import type { Selection } from './selection.ts';

export interface ListProps extends Pick<MeetingsAnswer, 'hits'> {
  place: Place;
  selection: Selection;
}

/** Tags shown of a recording in a list. */
const mostTags = 5;

/** Page of a recording: that of the review, for who has it by a review alone. */
export const pathOf = ({ id, permissions, review }: Pick<MeetingHit, 'id' | 'permissions' | 'review'>): string =>
  review && !permissions.includes('read') ? peerPath(id, review.id) : meetingPath(id);

const looks = { button: 'in-progress', pending: 'new', completed: 'complete', completed_review: 'complete' } as const;

/** State of the person's review, which it leads to. */
export function ReviewMark({ meeting: { id, review } }: { meeting: MeetingHit }) {
  const { t } = useTranslation('library');
  if (!review) return null;
  return (
    <span className={styles.review}>
      <Link to={peerPath(id, review.id)}>
        <StateMark look={looks[review.state]}>{t(`review.${review.state}`)}</StateMark>
      </Link>
    </span>
  );
}

/** The folder of a search result below the open folder. */
export function Lies({ meeting, place }: { meeting: MeetingHit; place: Place }) {
  const { t } = useTranslation(['library', 'shell']);
  const { folder, sharedFolder } = meeting;
  if ((place.query === '' && !isFiltered(place)) || folder === null || sameSpot(lieAt(meeting), spotOf(place)))
    return null;
  const top = sharedFolder?.name;
  return (
    <span className={styles.lies}>
      {t('library:inFolder', { folder: placeName(folder, top ?? t('shell:home.title'), top) })}
    </span>
  );
}

/** Line that says why a search found a recording. */
export function Why({ meeting: { why } }: { meeting: MeetingHit }) {
  const { t } = useTranslation('library');
  return why ? <span className={styles.lies}>{t(`why.${why}`)}</span> : null;
}

/** A recording can be selected where it can be deleted or moved. */
export function Choose({ meeting, selection }: { meeting: MeetingHit; selection: Selection }) {
  const { t } = useTranslation('library');
  if (!meeting.permissions.includes('own')) return null;
  return (
    <span className={styles.choose} data-quiet={selection.ids.size === 0 || undefined}>
      <Tick
        aria-label={t('many.select', { title: meeting.title || t('untitled') })}
        checked={selection.ids.has(meeting.id)}
        onChange={({ nativeEvent }) =>
          selection.toggle(meeting.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </span>
  );
}

/** The recordings to drag: the whole selection where this one is in it, else this one. Only own ones can be moved. */
export function useCarry(hits: readonly MeetingHit[], { ids }: Selection) {
  const me = useSession().data?.principal.id;
  const mine = (meeting: MeetingHit) => meeting.owner.id === me;
  return (meeting: MeetingHit) =>
    mine(meeting)
      ? draggable(() => ({
          kind: 'meetings',
          meetings: (ids.has(meeting.id) ? hits.filter((hit) => ids.has(hit.id) && mine(hit)) : [meeting]).map(
            ({ id, folder, sharedFolder }) => ({ id, folder, sharedFolder }),
          ),
        }))
      : {};
}

export function Owner({ meeting: { owner } }: { meeting: MeetingHit }) {
  const { t } = useTranslation('library');
  const mine = useSession().data?.principal.id === owner.id;
  return <span>{mine ? t('you') : owner.name}</span>;
}

export const length = ({ duration }: MeetingHit): string => (duration === null ? '–' : clockTime(duration * 1000));

/** Credits and minutes that the person has paid for a recording. */
export function Cost({ meeting: { cost }, labelled = false }: { meeting: MeetingHit; labelled?: boolean }) {
  const { t, i18n } = useTranslation('library');
  if (cost === null) return null;
  const [text, whole] = [costText(cost, i18n.language), costText(cost, i18n.language, { whole: true })];
  return (
    <span className={styles.cost} title={whole === text ? undefined : whole}>
      {labelled && t('fact', { name: t('column.cost') })}
      {text}
    </span>
  );
}

/** Tags of a recording; each narrows the list to it. */
export function Tags({ meeting: { tags }, place, go }: Going & { meeting: MeetingHit }) {
  const { t } = useTranslation('library');
  const chosen = place.filters?.tag ?? [];
  const others = tags.filter((tag) => !chosen.includes(tag));
  if (others.length === 0) return null;
  return (
    <span className={styles.tags}>
      {others.slice(0, mostTags).map((tag) => (
        <button
          key={tag}
          type="button"
          className={styles.tag}
          aria-label={t('filterByTag', { tag })}
          onClick={() => go({ filters: { ...place.filters, tag: [...chosen, tag] } })}
        >
          <span className={styles.tagName}>{tag}</span>
        </button>
      ))}
      {others.length > mostTags && (
        <span className={styles.moreTags} title={others.slice(mostTags).join(', ')}>
          {`+${others.length - mostTags}`}
        </span>
      )}
    </span>
  );
}
