import { IconX } from '@tabler/icons-react';
import { useAtom, useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Awareness } from 'y-protocols/awareness';
import { peopleIn, setPresence, type Person } from '#sync/client/presence.ts';

import { useNotify } from '../../store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { actionsAtom, useAction, useEscape } from '../base/actions.ts';
import { usePeople } from '../live/use-people.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import type { Listening } from '../text/listening.ts';
import { fromFlat } from '../text/flat.ts';
import { useOpenText, type OpenText } from '../open/open-text.ts';
import type { Words } from '../text/words.ts';
import { followedAtom, nextOf } from './followed.ts';
import { tellOwn } from './own-presence.ts';
import styles from './presence.module.css';
import { caretOf, doingOf } from './where.ts';

/** Distance in milliseconds to the followed person's playback beyond which this player jumps. */
const apart = 2500;

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

  const at = person?.listening ? person.at : null;
  const playing = person?.listening ?? false;
  useEffect(() => {
    if (!withSound) return;
    if (!playing) player.pause();
    else if (at !== null && (!player.now().playing || Math.abs(player.ms - at * 1000) > apart)) player.play(at * 1000);
  }, [withSound, playing, at, player]);

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
    const port = open?.editor.view.dom.closest('[role=tabpanel]');
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
  { editor }: OpenText,
  id: string,
): () => void {
  const { view } = editor;
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
