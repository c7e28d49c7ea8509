import {
  IconArrowBackUp,
  IconArrowsHorizontal,
  IconCheck,
  IconClock,
  IconDots,
  IconEye,
  IconLink,
  IconLock,
  IconPaperclip,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';

import type { Anchored, Place } from '#shared/meetings/anchors.ts';
import {
  isAuthor,
  mayAdd,
  mayChange,
  mayDelete,
  mayMove,
  mayResolve,
  mayReveal,
  type Asking,
} from '#shared/meetings/annotation-rules.ts';
import type { Comment } from '#shared/meetings/annotations.ts';
import { isAfterOpening } from '#shared/reviews/after-opening.ts';
import type { Person } from '#sync/client/presence.ts';

import { Avatar } from '../../../ui/avatar.tsx';
import { RelativeDate, exactDate } from '../../../ui/dates.tsx';
import { Dropdown, DropdownButton } from '../../../ui/dropdown.tsx';
import { Hint } from '../../../ui/hint.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { Guesses } from '../base/guesses.tsx';
import { MovePassage } from '../base/move-passage.tsx';
import { Quote } from '../base/quote.tsx';
import { annotationsAtom, chosenAtom } from '../base/open-annotations.ts';
import { isBlank, type Thread } from '../base/threads.ts';
import { useAuthorName } from '../base/use-author-name.ts';
import { useCopyLink } from '../base/use-copy-link.ts';
import { useDelete } from '../base/use-delete.ts';
import { useGoToAnnotation } from '../base/use-go-to-annotation.ts';
import { useMove } from '../base/use-move.ts';
import { CommentFiles } from '../files/comment-files.tsx';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { FileInput } from '../files/file-input.tsx';
import { useUploads } from '../files/uploads.ts';
import { SavedVoiceNote } from '../voice-notes/saved-voice-note.tsx';
import { useRecording } from '../voice-notes/use-recording.ts';
import styles from './comments-pane.module.css';
import { Composer } from './composer.tsx';
import { draftsAtom } from './drafts.ts';
import { RichText } from './rich-text.tsx';

interface ThreadCardProps {
  thread: Thread;
  place: Place | undefined;
  asking: Asking;
  waiting: ReadonlySet<string>;
  chosen: boolean;
  /** People typing in this thread now. */
  writing: readonly Person[];
  /** Level with its passage, so that nothing has to scroll. */
  level?: boolean;
}

const icon = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

/** A comment thread about a passage: the first comment and its replies. */
export function ThreadCard({ thread, place, asking, waiting, chosen, writing, level = false }: ThreadCardProps) {
  const { t } = useTranslation('comments');
  const { root, answers } = thread;
  const items = useAtomValue(annotationsAtom);
  const drafts = useAtomValue(draftsAtom);
  const { recording, running } = useRecording(`comment reply ${root.id}`);
  const begun = drafts.has(`reply ${root.id}`) || recording !== null || running !== null;
  const [answering, setAnswering] = useState(begun);
  const card = useRef<HTMLLIElement>(null);
  const [moving, setMoving] = useState(false);
  const goTo = useGoToAnnotation();
  const moveTo = useMove();
  const choose = useSetAtom(chosenAtom);
  const textShown = useOpenText() !== null;
  const nameOf = useAuthorName();
  useEffect(() => {
    if (chosen && !level) card.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen, level]);
  if (!items) return null;
  const answer = (text: string, own: boolean, voice: Blob | null) => {
    const { anchor, start, end, quote } = root;
    const begun = items.begin({ anchor, start, end, quote }, own);
    items.do('comment', begun.id, {
      do: 'add',
      item: { ...begun, parent: root.id, text, resolved: null, url: null },
      ...(voice && { voice }),
    });
    setAnswering(false);
  };
  const mayAnswer = mayAdd(asking, true);
  const movable = textShown && mayMove(asking, 'comment', root);
  const move = (passage: Anchored) => {
    setMoving(false);
    card.current?.focus();
    moveTo('comment', root, passage);
  };
  const ownOnly = root.private || !mayAdd(asking, false);
  const names = writing.map(({ name }) => name);
  return (
    <li
      ref={card}
      tabIndex={-1}
      className={styles.thread}
      data-chosen={chosen || undefined}
      data-resolved={root.resolved !== null || undefined}
    >
      <Quote item={root} place={place} onGo={() => goTo('comment', root)}>
        {mayResolve(asking, root) && (
          <IconButton
            label={t(root.resolved ? 'reopen' : 'resolve')}
            icon={root.resolved ? <IconArrowBackUp {...icon} /> : <IconCheck {...icon} />}
            onClick={() => {
              items.do('comment', root.id, { do: 'change', change: { resolved: root.resolved === null } });
              if (!begun) setAnswering(false);
            }}
          />
        )}
      </Quote>
      {movable && !moving && (
        <Guesses
          kind="comment"
          item={root}
          place={place}
          open={chosen}
          onOpen={() => choose({ kind: 'comment', id: root.id })}
          onGuess={move}
        />
      )}
      {movable && moving && (
        <MovePassage
          kind="comment"
          place={place}
          onMove={move}
          onCancel={() => {
            setMoving(false);
            card.current?.focus();
          }}
        />
      )}
      {root.resolved && (
        <p className={styles.note}>
          <IconCheck {...icon} size={14} />
          {t('resolvedBy', { name: nameOf(root.resolved.by) })}
        </p>
      )}
      <CommentBody
        comment={root}
        asking={asking}
        waiting={waiting}
        {...(movable && {
          onMove: () => {
            choose({ kind: 'comment', id: root.id });
            setMoving(true);
          },
        })}
      />
      {answers.map((one) => (
        <CommentBody key={one.id} comment={one} asking={asking} waiting={waiting} />
      ))}
      <p className={styles.writing} role="status">
        {names.length > 0 && t('writing', { count: names.length, names: names.join(', ') })}
      </p>
      <p className={styles.writing} role="status">
        {answering && root.resolved && t('settledMeanwhile')}
      </p>
      {mayAnswer &&
        // A reply begun before the thread was resolved can still be finished.
        (root.resolved === null || answering || begun) &&
        (answering ? (
          <Composer
            draft={`reply ${root.id}`}
            label={t('answerLabel')}
            send={t('answer')}
            thread={root.id}
            own={ownOnly ? 'always' : 'may'}
            speaks
            about={root}
            onSend={answer}
            onCancel={() => setAnswering(false)}
          />
        ) : (
          <button type="button" className={styles.answer} onClick={() => setAnswering(true)}>
            {t('answer')}
          </button>
        ))}
    </li>
  );
}

interface CommentBodyProps {
  comment: Comment;
  asking: Asking;
  waiting: ReadonlySet<string>;
  /** Begins to choose another passage. */
  onMove?: () => void;
}

/** One comment with its actions. */
function CommentBody({ comment, asking, waiting, onMove }: CommentBodyProps) {
  const { t, i18n } = useTranslation(['comments', 'annotations']);
  const items = useAtomValue(annotationsAtom);
  const takeAway = useDelete();
  const copyLink = useCopyLink();
  const drafts = useAtomValue(draftsAtom);
  const [editing, setEditing] = useState(drafts.has(`edit ${comment.id}`));
  const inputId = useId();
  const { add } = useUploads(comment.id);
  const { layer } = useMeeting();
  const nameOf = useAuthorName();
  if (!items) return null;
  if (isBlank(comment))
    return (
      <div className={styles.said}>
        <p className={styles.blank}>{t('blanked')}</p>
      </div>
    );
  const { id, author, createdAt, editTimestamp, text } = comment;
  const name = nameOf(author);
  const remove = () => takeAway('comment', id, t('deleted'));
  const actions: {
    name: 'edit' | 'move' | 'attach' | 'reveal' | 'copyLink' | 'delete';
    icon: ReactNode;
    may: boolean;
    press: () => void;
  }[] = [
    {
      name: 'edit',
      icon: <IconPencil {...icon} />,
      may: mayChange(asking, 'comment', comment),
      press: () => setEditing(true),
    },
    {
      name: 'move',
      icon: <IconArrowsHorizontal {...icon} />,
      may: onMove !== undefined,
      press: () => onMove?.(),
    },
    {
      name: 'attach',
      icon: <IconPaperclip {...icon} />,
      // The server looks for the comment, so it has to be stored.
      may: isAuthor(asking, comment) && !waiting.has(id),
      press: () => document.getElementById(inputId)?.click(),
    },
    {
      name: 'reveal',
      icon: <IconEye {...icon} />,
      may: mayReveal(asking, comment),
      press: () => items.do('comment', id, { do: 'reveal' }),
    },
    { name: 'copyLink', icon: <IconLink {...icon} />, may: !comment.private, press: () => copyLink('comment', id) },
    { name: 'delete', icon: <IconTrash {...icon} />, may: mayDelete(asking, 'comment', comment), press: remove },
  ];
  return (
    <div className={styles.said} data-comment={id}>
      <div className={styles.who}>
        <Avatar name={name} id={author.id} size={24} />
        <span className={styles.name}>{name}</span>
        {comment.private && (
          <Hint text={t('annotations:private')}>
            <span className={styles.mark} tabIndex={0} role="img" aria-label={t('annotations:private')}>
              <IconLock {...icon} size={14} />
            </span>
          </Hint>
        )}
        {waiting.has(id) && (
          <span className={styles.mark} role="img" aria-label={t('annotations:waiting')}>
            <IconClock {...icon} size={14} />
          </span>
        )}
        <span className={styles.when}>
          <RelativeDate at={new Date(createdAt)} />
          {isAfterOpening(comment, layer?.openedAt ?? null) && <span>{t('annotations:afterOpening')}</span>}
          {editTimestamp !== null && (
            <Hint text={exactDate(new Date(editTimestamp), i18n.language)}>
              <span tabIndex={0}>{t('edited')}</span>
            </Hint>
          )}
        </span>
        {!editing && actions.some(({ may }) => may) && (
          <Dropdown label={t('more', { name })} face={<IconDots {...icon} />}>
            {actions
              .filter(({ may }) => may)
              .map(({ name, icon: face, press }) => (
                <DropdownButton key={name} icon={face} onPress={press}>
                  {t(`actions.${name}`)}
                </DropdownButton>
              ))}
          </Dropdown>
        )}
      </div>
      {editing ? (
        <Composer
          draft={`edit ${id}`}
          about={comment}
          label={t('editLabel')}
          send={t('save')}
          initial={text}
          own="no"
          mayBeEmpty={comment.url !== null || items.voice(id) !== null}
          onSend={(next) => {
            if (next !== text) items.do('comment', id, { do: 'change', change: { text: next } });
            setEditing(false);
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        text !== '' && <RichText stored={text} />
      )}
      <SavedVoiceNote item={comment} />
      {isAuthor(asking, comment) && <FileInput id={inputId} label={t('actions.attach')} onFiles={add} />}
      <CommentFiles comment={id} />
    </div>
  );
}
