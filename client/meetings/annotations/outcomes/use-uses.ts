import { useAtomValue, useSetAtom } from 'jotai';

import { usesOf, type Use } from '#shared/meetings/annotation-uses.ts';
import { readSummary } from '#shared/meetings/summary.ts';

import type { NoticePart } from '../../../store.ts';
import { annotationsAtom } from '../base/open-annotations.ts';
import { useGoToAnnotation } from '../base/use-go-to-annotation.ts';
import { paneOf } from '../base/placed.ts';
import { useDocument } from '../../open/meeting-context.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';

const most = 5;

/** Links to everything that refers to an outcome and so prevents its deletion; null without any. */
export function useUses(): (outcomeId: string) => NoticePart[] | null {
  const { t } = useTranslation('outcomes');
  const { doc } = useDocument();
  const items = useAtomValue(annotationsAtom);
  const openPane = useSetAtom(openPaneAtom);
  const goTo = useGoToAnnotation();
  const part = ({ kind, id, start }: Use): NoticePart => {
    if (kind === 'summary') return { kind: 'clickable', text: t('inSummary'), onClick: () => openPane('summary') };
    const show = () => {
      const comment = items?.now()?.comment.get(id);
      if (!comment) return;
      openPane(paneOf.comment);
      goTo('comment', comment);
    };
    return { kind: 'clickable', text: t('inComment', { time: clockTime((start ?? 0) * 1000) }), onClick: show };
  };
  return (outcomeId) => {
    const said = [...(items?.now()?.comment.values() ?? [])].filter((comment) => !comment.private);
    const uses = usesOf(outcomeId, said, readSummary(doc, 'shared'));
    if (uses.length === 0) return null;
    return [t('inUse'), ...uses.slice(0, most).flatMap((use): NoticePart[] => [' ', part(use)])];
  };
}
