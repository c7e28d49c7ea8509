import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef } from 'react';

import { spaceAfter } from '#shared/i18n/sentences.ts';
import type { ReviewView } from '#shared/reviews.ts';

import { useApi } from '../../api.ts';
import { part } from '../../errors/part.tsx';
import { dialogPart, useDialogPart } from '../../errors/part-dialog.tsx';
import { useAnnotations } from '../../meetings/annotations/base/open-annotations.ts';
import { useAsking } from '../../meetings/annotations/base/use-asking.ts';
import { openPaneAtom } from '../../meetings/base/open-pane.ts';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { useBeside } from '../../meetings/page/rail.tsx';
import { useConfirm, useNotify } from '../../store.ts';
import { reportPath } from '../../paths.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useListenedParts } from '../listened/listened-query.ts';
import { useHeardLines } from '../listened/use-heard-lines.ts';
import { useRefusedText } from '../use-refused-text.ts';
import { hasReport } from '../report/has-report.ts';
import { reviewKey } from '../review-query.ts';
import { PhaseMark, StatusMark } from '../state-mark.tsx';
import { useOpened } from './opened.ts';
import styles from './peer.module.css';
import { hasComments, hasSheet, modeOf, type LayerChoice } from './shown-layer.ts';
import { useDiscussed } from './use-discussed.ts';
import { useListened } from './use-listened.ts';

const Ghost = part(() => import('./ghost.tsx'), { inBackground: true });
const CompleteDialog = dialogPart(() => import('./complete-dialog.tsx'));

/** Part of this person in the review, its progress, and their next step. */
export function Lines() {
  const { t, i18n } = useTranslation(['assessment', 'report']);
  const { review, layers, shown, show } = useOpened();
  useRenewal(review);
  useOpenSheet(shown);
  useDiscussed();
  const listened = useListenedParts(review);
  useListened(review, shown, listened?.mine?.shared ?? false);
  useHeardLines(review, listened);
  const nameOf = useLayerName();
  const { mine, phase, due, leader, student, coverage, keyed, anonymous } = review;
  const own = mine !== null && mine.role !== 'watcher' && (phase === 'closed' || phase === 'self');
  const began = useHasBegun();
  const day = (date: string) =>
    new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));
  const mode = t(`mode.${modeOf(review)}`);
  const facts = [
    leader.name === '' ? '' : t('by', { name: leader.name }),
    due === null ? '' : t('due', { date: day(due) }),
    !anonymous ? '' : student?.userId === leader.id ? t('anonymousSelf') : t('anonymous', { name: leader.name }),
    own && keyed && mine.role !== 'supervisor' && mine.status !== 'complete' ? t('keyed') : '',
    own && coverage !== null && mine.heard !== null ? t('heard', { heard: mine.heard, coverage }) : '',
  ];
  return (
    <section className={styles.lines} aria-label={t('lines')}>
      <div className={styles.state}>
        {own ? (
          <StatusMark status={mine.status === 'new' && began ? 'in-progress' : mine.status} />
        ) : (
          <PhaseMark phase={phase} />
        )}
        <p className={styles.mode}>
          {mode}
          {spaceAfter(mode)}
          <span className={styles.facts}>{facts.filter((fact) => fact !== '').join(' · ')}</span>
        </p>
      </div>
      <div className={styles.steps}>
        {layers.length > 1 && (
          <div className={styles.choice}>
            <SelectField
              label={t('shown')}
              value={shown.id}
              options={layers.map((layer) => ({ value: layer.id, label: nameOf(layer) }))}
              onChange={(id) => show(id)}
            />
          </div>
        )}
        {hasReport(review) && (
          <ButtonLink look="quiet" to={reportPath(review.meetingId, review.id)}>
            {t('report:title')}
          </ButtonLink>
        )}
        <Step />
      </div>
      {hasSheet(shown) && <Ghost />}
    </section>
  );
}

/** Whether this person has annotated here: the review says so when it is read the next time. */
function useHasBegun(): boolean {
  const view = useAnnotations();
  const { userId, reviewerId } = useAsking();
  if (!view) return false;
  return [...view.outcome.values(), ...view.comment.values()].some(
    ({ author }) => author.id === (reviewerId ?? userId),
  );
}

function useLayerName(): (layer: LayerChoice) => string {
  const { t } = useTranslation('assessment');
  return ({ kind, name }) => {
    if (kind === 'of') return name === null ? t('layer.unnamed') : t('layer.of', { name });
    return kind === 'machine' ? t('layer.unnamed') : t(`layer.${kind}`);
  };
}

/** Reads the review again once this person's rights have changed: then it has opened, or somebody took back. */
function useRenewal({ meetingId, id }: ReviewView): void {
  const queries = useQueryClient();
  const rights = useMeeting().about.permissions.toSorted().join(' ');
  const renew = useEffectEvent(() => void queries.invalidateQueries({ queryKey: reviewKey(meetingId, id) }));
  useEffect(() => renew(), [rights]);
}

/** The competencies, or the talk, lie beside the text from the beginning, where there is room for both. */
function useOpenSheet(shown: LayerChoice): void {
  const open = useSetAtom(openPaneAtom);
  const beside = useBeside();
  const begin = useEffectEvent(() => {
    if (beside && hasComments(shown)) open(hasSheet(shown) ? 'outcomes' : 'comments');
  });
  useEffect(() => begin(), []);
}

/** Completes, or takes completing back: one button, so that the focus stays where it was pressed. */
function Step() {
  const { t } = useTranslation('assessment');
  const { review, shown } = useOpened();
  const completing = useDialogPart((props) => <CompleteDialog {...props} />);
  const back = useTakeBack();
  // Unsaved changes are known of the open layer alone.
  const completes = review.can.includes('complete') && shown.id === review.cloneId;
  const may = completes || review.can.includes('take-back');
  const here = useFocusAfter(may);
  return (
    <div ref={here} tabIndex={-1}>
      {may && (
        <Button
          look={completes ? 'primary' : 'plain'}
          busy={back.busy}
          onClick={completes ? completing.open : () => void back.take()}
        >
          {t(completes ? 'complete' : 'takeBack')}
        </Button>
      )}
      {completing.dialog}
    </div>
  );
}

/** Keeps the focus in the place of a button that goes: where completing is final. */
function useFocusAfter(may: boolean) {
  const here = useRef<HTMLDivElement>(null);
  const could = useRef(may);
  useEffect(() => {
    if (could.current && !may) here.current?.focus();
    could.current = may;
  }, [may]);
  return here;
}

/** Takes completing back; asks where that closes what others read. */
function useTakeBack(): { busy: boolean; take: () => Promise<void> } {
  const { t } = useTranslation('assessment');
  const refusedText = useRefusedText();
  const { review } = useOpened();
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const confirm = useConfirm();
  const { meetingId, id, mine, phase } = review;
  const key = reviewKey(meetingId, id);
  const take = useMutation({
    mutationFn: (reviewerId: string) =>
      parseResponse(
        api.meetings[':id'].reviews[':reviewId'].reviewers[':reviewerId'].$post({
          param: { id: meetingId, reviewId: id, reviewerId },
          json: { status: 'in-progress' },
        }),
      ),
    meta: { quiet: true },
    onSuccess: (answer) => {
      queries.setQueryData(key, answer.review);
      notify({ type: 'info', message: t('takenBack') });
    },
    onError: (error) => {
      notify({ message: refusedText(error) });
      void queries.invalidateQueries({ queryKey: key });
    },
  });
  return {
    busy: take.isPending,
    take: async () => {
      const asked = { title: t('takeBackOpen.title'), text: t('takeBackOpen.text'), action: t('takeBack') };
      if (mine !== null && (phase !== 'open' || (await confirm(asked)))) take.mutate(mine.id);
    },
  };
}
