import { IconMessage2Plus, IconMessages } from '@tabler/icons-react';
import { useAtom, useAtomValue, useSetAtom } from 'jotai';
import { useEffect } from 'react';

import type { Place } from '#shared/meetings/anchors.ts';
import { mayAdd } from '#shared/meetings/annotation-rules.ts';
import { setPresence } from '#sync/client/presence.ts';

import { Avatar } from '../../../ui/avatar.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { usePhone } from '../../../ui/use-phone.ts';
import { useTranslation } from '../../../use-translation.ts';
import { AnnotationList } from '../base/annotation-list.tsx';
import { AnnotationsWaiting } from '../base/annotations-waiting.tsx';
import {
  begunAtom,
  chosenAtom,
  annotationsAtom,
  useAnnotationRoom,
  useAnnotations,
  usePlaces,
} from '../base/open-annotations.ts';
import { Quote } from '../base/quote.tsx';
import { threadsOf, threadWith, type Thread } from '../base/threads.ts';
import { useAsking } from '../base/use-asking.ts';
import { actionsAtom } from '../../base/actions.ts';
import { usePeople } from '../../live/use-people.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { UnsentVoiceNotes } from '../voice-notes/unsent-voice-notes.tsx';
import styles from './comments-pane.module.css';
import { Composer } from './composer.tsx';
import { composeFocusAtom, newKey, shownAtom, type Shown } from './drafts.ts';
import { UnsentDrafts } from './unsent-drafts.tsx';
import { ThreadCard } from './thread-card.tsx';
import { useWritten } from './use-written.ts';

const shownChoices: readonly Shown[] = ['open', 'resolved', 'all'];

/** Comment threads of the recording, in the order of the transcript. */
export default function CommentsPane() {
  const { t } = useTranslation(['comments', 'annotations']);
  const phone = usePhone();
  const items = useAtomValue(annotationsAtom);
  const view = useAnnotations();
  const places = usePlaces();
  const asking = useAsking();
  const chosen = useAtomValue(chosenAtom);
  const begun = useAtomValue(begunAtom);
  const actions = useAtomValue(actionsAtom);
  const [shown, show] = useAtom(shownAtom);
  const people = useHere();
  const isWritten = useWritten();
  const threads = view ? threadsOf(view.comment) : [];
  const settled = threads.filter(({ root }) => root.resolved !== null).length;
  const chosenThread = chosen?.kind === 'comment' ? threadWith(threads, chosen.id) : undefined;
  const isListed = (thread: Thread) => !isHidden(thread, shown) || isWritten(thread);
  // Shows all threads if the chosen one is filtered out.
  const missing = chosenThread !== undefined && !isListed(chosenThread);
  useEffect(() => {
    if (missing) show('all');
  }, [missing, show]);
  if (!items || !view?.ready) return <AnnotationsWaiting />;

  const placeOf = ({ root }: Thread): Place | undefined => places.get(`comment ${root.id}`);
  const listed = threads
    .filter(isListed)
    .map((thread) => ({ thread, place: placeOf(thread) }))
    .sort(
      (one, other) =>
        (one.place?.from ?? Infinity) - (other.place?.from ?? Infinity) ||
        one.thread.root.start - other.thread.root.start,
    );
  const counts = { open: threads.length - settled, resolved: settled, all: threads.length };
  const mayWrite = mayAdd(asking, true);
  const card = ({ thread, place }: (typeof listed)[number]) => (
    <ThreadCard
      key={thread.root.id}
      thread={thread}
      place={place}
      asking={asking}
      waiting={view.waiting}
      chosen={chosenThread?.root.id === thread.root.id}
      writing={people.filter(({ typing, pane }) => typing && pane === `comments:${thread.root.id}`)}
    />
  );
  const begins = people.filter(({ typing, pane }) => typing && pane === 'comments').map(({ name }) => name);
  return (
    <div className={styles.comments}>
      {people.length > 0 && (
        <div className={styles.here} role="group" aria-label={t('here')}>
          {people.map(({ id, name }) => (
            <Avatar key={id} id={id} name={name} size={24} label={name} />
          ))}
          <span className={styles.hereNames}>
            {t('hereNames', { count: people.length, names: people.map(({ name }) => name).join(', ') })}
          </span>
        </div>
      )}
      {!mayWrite && <p className={styles.note}>{t(asking.userId === null ? 'readOnlyVisitor' : 'readOnly')}</p>}
      {mayWrite && !mayAdd(asking, false) && <p className={styles.note}>{t('onlyOwn')}</p>}
      <UnsentVoiceNotes kind="comment" />
      <UnsentDrafts />
      {begun ? (
        <NewComment ownOnly={!mayAdd(asking, false)} />
      ) : (
        mayWrite &&
        threads.length > 0 && (
          <Button
            wide
            icon={<IconMessage2Plus size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => actions.run('comment')}
          >
            {t('begin')}
          </Button>
        )
      )}
      <p className={styles.writing} role="status">
        {begins.length > 0 && t('writing', { count: begins.length, names: begins.join(', ') })}
      </p>
      {threads.length === 0 && !begun && (
        <Empty
          title={t('empty')}
          icon={<IconMessages size={32} stroke={1.25} />}
          {...(mayWrite && {
            action: <Button onClick={() => actions.run('comment')}>{t('begin')}</Button>,
          })}
        >
          {t(!mayWrite ? 'emptyReading' : phone ? 'emptyTouch' : 'emptyText')}
        </Empty>
      )}
      {(settled > 0 || shown !== 'open') && (
        <SelectField
          label={t('show')}
          options={shownChoices.map((value) => ({
            value,
            label: t(`shown.${value}`, { number: counts[value] }),
          }))}
          value={shown}
          onChange={(value) => show(shownChoices.find((one) => one === value) ?? 'open')}
        />
      )}
      {threads.length > 0 && listed.length === 0 && <p className={styles.note}>{t('noneShown')}</p>}
      <AnnotationList listed={listed} idOf={({ thread }) => thread.root.id} card={card} />
    </div>
  );
}

const isHidden = ({ root }: Thread, shown: Shown): boolean =>
  shown !== 'all' && (root.resolved !== null) !== (shown === 'resolved');

/** People who have the comments open; announces this person among them. */
function useHere() {
  const awareness = useAnnotationRoom('comment')?.awareness;
  useEffect(() => {
    if (!awareness) return;
    if (awareness.getLocalState() !== null) setPresence(awareness, { pane: 'comments' });
    return () => {
      if (awareness.getLocalState() !== null) setPresence(awareness, { pane: null, typing: false });
    };
  }, [awareness]);
  return usePeople(awareness).filter(({ pane }) => pane?.startsWith('comments'));
}

function NewComment({ ownOnly }: { ownOnly: boolean }) {
  const { t } = useTranslation('comments');
  const items = useAtomValue(annotationsAtom);
  const { about } = useMeeting();
  const [place, setPlace] = useAtom(begunAtom);
  const focus = useAtomValue(composeFocusAtom);
  const choose = useSetAtom(chosenAtom);
  const open = useOpenText();
  useEffect(() => {
    if (focus > 0) document.querySelector<HTMLElement>(`#new-comment [role=textbox]`)?.focus();
  }, [focus]);
  if (!items || !place) return null;
  const leave = () => {
    setPlace(null);
    open?.view.focus();
  };
  const send = (text: string, own: boolean, voice: Blob | null) => {
    const begun = items.begin(place, own);
    const item = { ...begun, parent: null, text, resolved: null, url: null };
    items.do('comment', begun.id, { do: 'add', item, ...(voice && { voice }) });
    choose({ kind: 'comment', id: begun.id });
    leave();
  };
  const item = items.begin(place, true);
  return (
    <div id="new-comment" className={styles.new}>
      <Quote item={item} place={undefined} onGo={() => open?.editor.commands.focus()} />
      <Composer
        draft={newKey(about.id)}
        label={t('label')}
        send={t('send')}
        own={ownOnly ? 'always' : 'may'}
        speaks
        onSend={send}
        onCancel={leave}
      />
    </div>
  );
}
