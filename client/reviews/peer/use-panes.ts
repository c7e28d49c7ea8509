import { IconChecklist, IconEar, IconRulerMeasure, IconScale, IconTable, IconUsers } from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useEffectEvent } from 'react';
import { useSearchParams } from 'react-router-dom';

import { isBlind } from '#shared/reviews/review.ts';
import { nextUngraded } from '#shared/reviews/sheet.ts';

import { part } from '../../errors/part.tsx';
import { useCommentsPane } from '../../meetings/annotations/comments/use-comments-pane.tsx';
import { useNotesPane } from '../../meetings/annotations/notes/use-notes-pane.tsx';
import { useOutcomesPane } from '../../meetings/annotations/outcomes/use-outcomes-pane.tsx';
import { useAction } from '../../meetings/base/actions.ts';
import { openPaneAtom } from '../../meetings/base/open-pane.ts';
import type { Pane } from '../../meetings/base/pane.ts';
import { useContentsPanes } from '../../meetings/panes/contents/use-contents-panes.tsx';
import { useFindPane } from '../../meetings/panes/find/use-find-pane.ts';
import { useVideoPane } from '../../meetings/player/video.tsx';
import { useTranslation } from '../../use-translation.ts';
import { columnsOf } from '../people/results-table.ts';
import { useOpened } from './opened.ts';
import { reachedAtom } from './reached.ts';
import { useSheet } from './use-sheet.ts';

const SheetPane = part(() => import('./sheet-pane.tsx'));
const AgreedPane = part(() => import('./agreed-pane.tsx'));
const PeoplePane = part(() => import('./people-pane.tsx'));
const PassagesPane = part(() => import('./passages-pane.tsx'));
const CalibrationPane = part(() => import('./calibration-pane.tsx'));
const AgreementPane = part(() => import('./agreement-pane.tsx'));
const ListenedPane = part(() => import('./listened-pane.tsx'));

/** Panes of an assessment. */
export function useSheetPanes(): Pane[] {
  const { t } = useTranslation('assessment');
  const outcomes = useOutcomesPane();
  useNextUngraded();
  useLinkedGrade('outcomes');
  const sheet: Pane = { ...outcomes, label: t('sheet.title'), short: t('sheet.short'), Content: SheetPane };
  return [sheet, useCommentsPane(), ...useReviewPanes(), ...useTranscriptPanes()];
}

/** People and assessments of others, where the person learns of them. */
function useReviewPanes(): Pane[] {
  const { t } = useTranslation('assessment');
  const { review } = useOpened();
  const { reviewers, can, mine } = review;
  const own = reviewers.find(({ isMe }) => isMe)?.cloneId ?? (review.student?.isMe ? review.student.cloneId : null);
  const people: Pane = {
    ...{ id: 'people', label: t('people.title'), icon: IconUsers, button: 'rail', Content: PeoplePane },
  };
  const passages: Pane = {
    ...{ id: 'passages', label: t('passages.title'), icon: IconTable, button: 'rail', Content: PassagesPane },
  };
  const follows = can.includes('change') || mine?.role === 'supervisor' || reviewers.some(({ isMe }) => !isMe);
  const reads = columnsOf(review).some(({ layer }) => layer !== own);
  return [
    ...(follows ? [people] : []),
    ...(reads ? [passages] : []),
    ...useListenedPane(),
    ...useAgreementPane(),
    ...useCalibrationPane(),
  ];
}

/** The pane of what people listened to, for those who assess, and who read an assessment. */
function useListenedPane(): Pane[] {
  const { t } = useTranslation('listened');
  const { review } = useOpened();
  const assesses = review.mine !== null && review.mine.role !== 'watcher';
  if (!assesses && columnsOf(review).length === 0) return [];
  return [
    {
      ...{ id: 'listened', label: t('title'), short: t('short'), icon: IconEar },
      ...{ button: 'rail', Content: ListenedPane },
    },
  ];
}

/** Agreement, for who oversees the review, and for all who read all assessments. */
function useAgreementPane(): Pane[] {
  const { t } = useTranslation('agreement');
  const { review } = useOpened();
  const { phase, mine, layers } = review;
  const opened = phase === 'open' || phase === 'published';
  const together = !isBlind(review) && layers.some(({ kind }) => kind === 'shared');
  if (!opened && !together && mine?.role !== 'supervisor') return [];
  return [{ id: 'agreement', label: t('title'), icon: IconScale, button: 'rail', Content: AgreementPane }];
}

/** The reference of completed assessments, for their reviewers and who reads them; of a second pass, the review before it. */
function useCalibrationPane(): Pane[] {
  const { t } = useTranslation('calibration');
  const { review } = useOpened();
  const { keyed, isSecondPass, phase, mine } = review;
  const opened = phase === 'open' || phase === 'published';
  const done = mine !== null && mine.role !== 'watcher' && mine.status === 'complete';
  if (!(keyed || isSecondPass) || mine?.role === 'student' || !(opened || done || mine?.role === 'supervisor'))
    return [];
  return [{ id: 'reference', label: t('title'), icon: IconRulerMeasure, button: 'rail', Content: CalibrationPane }];
}

/** Panes of a layer in which people talk; in the discussion they also set the grades that they agree on. */
export function useTalkPanes(): Pane[] {
  const { t } = useTranslation('assessment');
  const { shown } = useOpened();
  const agreed: Pane = {
    ...{ id: 'agreed', label: t('agreed.title'), short: t('agreed.short'), icon: IconChecklist },
    ...{ button: 'tab', Content: AgreedPane },
  };
  const comments = useCommentsPane();
  useLinkedGrade('agreed');
  return [comments, ...(shown.kind === 'discussion' ? [agreed] : []), ...useReviewPanes(), ...useTranscriptPanes()];
}

/** Panes of a layer in which this person writes nothing. */
export function useWordsPanes(): Pane[] {
  return [...useReviewPanes(), ...useTranscriptPanes()];
}

/** Panes of the transcript alone. Summary, files, history and chat belong to the recording. */
function useTranscriptPanes(): Pane[] {
  return [useFindPane(), ...useNotesPane(), ...useVideoPane(), ...useContentsPanes()];
}

/** Key to the next competency without a grade. */
function useNextUngraded(): void {
  const rows = useSheet();
  const reached = useAtomValue(reachedAtom);
  const reach = useSetAtom(reachedAtom);
  const open = useSetAtom(openPaneAtom);
  useAction('nextUngraded', () => {
    const next = rows && nextUngraded(rows, reached.type);
    if (next === null) return false;
    open('outcomes');
    reach({ type: next, times: reached.times + 1 });
    return true;
  });
}

/** Opens the pane with the sheet at the competency of `?grade=<type>`, once it is loaded in the layer of the link. */
function useLinkedGrade(pane: string): void {
  const [query] = useSearchParams();
  const { shown } = useOpened();
  const loaded = useSheet() !== null;
  const open = useSetAtom(openPaneAtom);
  const reach = useSetAtom(reachedAtom);
  const wanted = query.get('layer') === shown.id ? query.get('grade') : null;
  const lead = useEffectEvent((type: string) => {
    open(pane);
    reach(({ times }) => ({ type, times: times + 1 }));
  });
  useEffect(() => {
    if (loaded && wanted !== null) lead(wanted);
  }, [loaded, wanted]);
}
