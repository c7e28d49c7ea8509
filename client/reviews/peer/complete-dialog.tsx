import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue, useSetAtom } from 'jotai';
import { useState, useSyncExternalStore } from 'react';

import { assesses } from '#shared/reviews/machine.ts';
import { longestReviewComment } from '#shared/reviews/review.ts';
import { ungradedIn, withoutPassageIn } from '#shared/reviews/sheet.ts';
import { ownName } from '#shared/meetings/own-types.ts';

import { useApi } from '../../api.ts';
import { annotationsAtom } from '../../meetings/annotations/base/open-annotations.ts';
import { openPaneAtom } from '../../meetings/base/open-pane.ts';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { usePlayerState } from '../../meetings/sound/use-player.ts';
import { useNotify } from '../../store.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Actions, Form } from '../../ui/form.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useRefusedText } from '../use-refused-text.ts';
import { reviewKey } from '../review-query.ts';
import { useOpened } from './opened.ts';
import styles from './peer.module.css';
import { hasSheet } from './shown-layer.ts';
import { useSheet } from './use-sheet.ts';

interface CompleteDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Completes one's assessment; says before what has no grade yet, which grades have no passage, and how much was not heard. */
export default function CompleteDialog({ opened, onClose }: CompleteDialogProps) {
  const { t } = useTranslation('assessment');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('completing.title')} keepOnBackdrop>
      <Completing onDone={onClose} />
    </Dialog>
  );
}

function Completing({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation(['assessment', 'common', 'outcomes']);
  const refusedText = useRefusedText();
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const { review, shown } = useOpened();
  const { meetingId, id, mine } = review;
  const rows = useSheet() ?? [];
  const namesOf = (found: typeof rows) =>
    found.map(({ type }) => ownName(type.id) ?? t(`outcomes:types.${type.id}` as 'outcomes:types.notes'));
  const ungraded = namesOf(ungradedIn(rows));
  const unproved = namesOf(withoutPassageIn(rows));
  const graded = hasSheet(shown) && rows.some(({ type }) => type.grades.length > 0);
  const [comment, setComment] = useState(mine?.comment ?? '');
  const [errors, setErrors] = useState<readonly string[]>([]);
  const { connected } = useMeeting().live.state;
  const unheard = useUnheard();
  const waits = useUnsaved() > 0;
  const openPane = useSetAtom(openPaneAtom);
  const compared = review.keyed && mine !== null && mine.role !== 'student' && assesses({ role: mine.role });
  const told = compared ? 'textKeyed' : review.keyed ? 'textFinal' : 'text';
  const key = reviewKey(meetingId, id);
  const complete = useMutation({
    mutationFn: (reviewerId: string) =>
      parseResponse(
        api.meetings[':id'].reviews[':reviewId'].reviewers[':reviewerId'].$post({
          param: { id: meetingId, reviewId: id, reviewerId },
          json: { status: 'complete', comment: comment.trim() },
        }),
      ),
    meta: { quiet: true },
    onSuccess: (answer) => {
      queries.setQueryData(key, answer.review);
      onDone();
      notify({ type: 'info', message: t('assessment:completing.done') });
      if (answer.review.keyed) openPane('reference');
    },
    onError: (error) => {
      setErrors([refusedText(error)]);
      void queries.invalidateQueries({ queryKey: key });
    },
  });
  const submit = () => {
    if (complete.isPending || waits || !connected || !mine) return;
    setErrors([]);
    complete.mutate(mine.id);
  };
  return (
    <Form errors={errors} label={t('assessment:completing.title')} onSubmit={submit}>
      {graded &&
        (ungraded.length === 0 ? (
          <p>{t('assessment:completing.all')}</p>
        ) : (
          <Missing text={t('assessment:completing.ungraded', { count: ungraded.length })} names={ungraded} />
        ))}
      {graded && unproved.length > 0 && <Missing text={t('assessment:completing.unproved')} names={unproved} />}
      {unheard > 0 && <p>{t('assessment:completing.unheard', { minutes: unheard })}</p>}
      <p>{t(`assessment:completing.${told}`)}</p>
      <TextArea
        label={t('assessment:completing.comment')}
        hint={t('assessment:completing.hint')}
        maxLength={longestReviewComment}
        value={comment}
        onChange={setComment}
      />
      {(waits || !connected) && (
        <p role="status">{t(connected ? 'assessment:completing.waits' : 'assessment:completing.offline')}</p>
      )}
      <Actions>
        <Button look="quiet" onClick={onDone}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={complete.isPending} waiting={waits || !connected}>
          {t('assessment:complete')}
        </Button>
      </Actions>
    </Form>
  );
}

function Missing({ text, names }: { text: string; names: readonly string[] }) {
  return (
    <div>
      <p>{text}</p>
      <ul className={styles.missing}>
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </div>
  );
}

const minute = 60_000;

/** Minutes that this person has not listened to, where the review asks for it; 0 where none is known. */
function useUnheard(): number {
  const { review, shown } = useOpened();
  const { duration } = usePlayerState(useMeeting().player);
  const heard = review.coverage === null || shown.id !== review.cloneId ? null : (review.mine?.heard ?? null);
  if (heard === null || heard >= 100 || duration === null) return 0;
  return Math.max(1, Math.round((duration * (100 - heard)) / 100 / minute));
}

const nothing = () => () => undefined;

/** Number of annotations of the open layer that the server has not stored yet: completing comes behind them. */
function useUnsaved(): number {
  const items = useAtomValue(annotationsAtom);
  return useSyncExternalStore(items?.subscribe ?? nothing, () => items?.read().state.pending ?? 0);
}
