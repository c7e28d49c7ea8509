import { IconX } from '@tabler/icons-react';
import { useAtom, useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Awareness } from 'y-protocols/awareness';
import { peopleIn, setPresence, type Person } from '#sync/client/presence.ts';

import { useNotify } from '../../store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { actionsAtom, useAction, useEscape } from '../base/actions.ts';
import { usePeople } from '../live/use-people.ts';
import { useMeeting } from '../open/meeting-context.ts';
import type { Player } from '../sound/player.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import type { Listening } from '../text/listening.ts';
import { fromFlat } from '../text/flat.ts';
import { useOpenText, type OpenText } from '../open/open-text.ts';
import type { Words } from '../text/words.ts';
import { FollowedSound } from './followed-sound.ts';
import { followedAtom, nextOf } from './followed.ts';
import { tellOwn } from './own-presence.ts';
import styles from './presence.module.css';
import { caretOf, doingOf } from './where.ts';

/** Interval in milliseconds at which this player is compared with the followed person's. */
const adjustEvery = 100;

/** Shares this person's activity, and follows another person's position. */
export function Presence() {
  const { live, player } = useMeeting();
  const { doc, awareness } = live;
  useEffect(() => tellOwn(doc, awareness, player), [doc, awareness, player]);
  const pane = useAtomValue(openPaneAtom);
  useEffect(() => {
    if (awareness.getLocalState() !== null) setPresence(awareness, { pane });
  }, [awareness, pane]);

  const people = usePeople(awareness);
  const [followed, follow] = useAtom(followedAtom);
  useAction(
    'follow',
    people.length === 0
      ? null
      : () => {
          const next = nextOf(people, followed?.id ?? null);
          follow(next && { id: next.id, name: next.name });
        },
  );
  // Another recording has other people.
  useEffect(() => () => follow(null), [follow]);
  const person = people.find(({ id }) => id === followed?.id);
  return followed && <Following key={followed.id} name={followed.name} person={person} onLeave={() => follow(null)} />;
}

interface FollowingProps {
  name: string;
  /** Undefined after the person announceLeaving. */
  person: Person | undefined;
  onLeave: () => void;
}

function Following({ name, person, onLeave }: FollowingProps) {
  const { t } = useTranslation('presence');
  const notify = useNotify();
  const { live, player, words, listening } = useMeeting();
  const { awareness } = live;
  const [withSound, setWithSound] = useState(false);
  const open = useOpenText();
  useEscape(true, onLeave);
  useLeash(open, onLeave);

  const gone = person === undefined;
  const announceLeaving = useEffectEvent(() => {
    notify({ type: 'info', message: t('left', { name }) });
    onLeave();
  });
  useEffect(() => {
    if (gone) announceLeaving();
  }, [gone]);

  const id = person?.id;
  useEffect(() => {
    if (id !== undefined && open) return followScroll(awareness, words, listening, open, id);
  }, [awareness, words, listening, open, id]);

  useEffect(() => {
    if (withSound && id !== undefined) return followSound(awareness, player, id);
  }, [withSound, awareness, player, id]);

  return (
    <div className={styles.following} data-following>
      <p role="status">{t('following', { name })}</p>
      {player.medium && (
        <label className={styles.sound}>
          <input type="checkbox" checked={withSound} onChange={() => setWithSound(!withSound)} />
          {t('sound')}
        </label>
      )}
      <IconButton label={t('stop')} icon={<IconX size={18} stroke={1.5} aria-hidden="true" />} onClick={onLeave} />
    </div>
  );
}

/** Plays what the followed person hears, where they hear it. */
function followSound(awareness: Awareness, player: Player, id: string): () => void {
  const sound = new FollowedSound(player);
  let heard = '';
  const hear = () => {
    const person = peopleIn(awareness, null).find((one) => one.id === id);
    if (!person) return;
    const { at, listening, rate } = person;
    // Carets move, too: only another message about the playback tells where it is now.
    const message = JSON.stringify([at, listening, rate]);
    if (message === heard) return;
    heard = message;
    sound.hear({ at, listening, rate });
  };
  hear();
  awareness.on('change', hear);
  const timer = setInterval(sound.adjust, adjustEvery);
  return () => {
    awareness.off('change', hear);
    clearInterval(timer);
    sound.end();
  };
}

const alone = /^(Control|Shift|Alt|AltGraph|Meta|CapsLock|Tab|Escape)$/;

/**
 * Ends following at any own key press or scroll in the transcript. Escape is handled by useEscape, after open popups.
 */
function useLeash(open: OpenText | null, onLeave: () => void): void {
  const actions = useAtomValue(actionsAtom);
  const leave = useEffectEvent(onLeave);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const pressed = (event: KeyboardEvent) => {
      if (alone.test(event.key) || actions.meaningOf(event) === 'follow') return;
      if (event.target instanceof Element && event.target.closest('[data-following]')) return;
      leave();
    };
    window.addEventListener('keydown', pressed, { capture: true, signal });
    const port = open?.view.dom.closest('[role=tabpanel]');
    for (const name of ['pointerdown', 'wheel', 'touchmove'])
      port?.addEventListener(name, () => leave(), { passive: true, signal });
    return () => ending.abort();
  }, [actions, open]);
}

/** Scrolls to the followed person whenever they are out of sight. */
function followScroll(
  awareness: Awareness,
  words: Words,
  listening: Listening,
  { view }: OpenText,
  id: string,
): () => void {
  const port = view.dom.closest('[role=tabpanel]');
  // Following a person replaces following the playback.
  listening.follow.happened('scrolled');
  const rectOf = (person: Person): DOMRect | null => {
    if (view.isDestroyed) return null;
    const place = doingOf(person) === 'listening' && person.at !== null ? words.wordAt(person.at * 1000) : null;
    const span = place && words.stretch(place.segment, place.word, place.word);
    const range = span && words.range(span);
    if (range) return range.getBoundingClientRect();
    const caret = caretOf(awareness, words, person);
    if (caret === null) return null;
    const { left, top, bottom } = view.coordsAtPos(fromFlat(view.state.doc, caret));
    return new DOMRect(left, top, 0, bottom - top);
  };
  const look = () => {
    const person = peopleIn(awareness, null).find((one) => one.id === id);
    const [rect, box] = [person && rectOf(person), port?.getBoundingClientRect()];
    if (!person || !rect || !box || box.height === 0) return;
    if (rect.top < box.top || rect.bottom > box.bottom) listening.follow.bring(() => rectOf(person));
  };
  look();
  awareness.on('change', look);
  return () => awareness.off('change', look);
}
