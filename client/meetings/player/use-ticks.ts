import { useSetAtom } from 'jotai';
import { useMemo } from 'react';
import { readTimed } from '#shared/meetings/entries.ts';

import { useKnownSets } from '../../outcome-models/known-sets.ts';
import { useTranslation } from '../../use-translation.ts';
import { useAnnotations } from '../annotations/base/open-annotations.ts';
import { paneOf } from '../annotations/base/placed.ts';
import { useGoToAnnotation } from '../annotations/base/use-go-to-annotation.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import { useTypeName } from '../annotations/outcomes/use-type-name.ts';
import { useShared } from '../base/use-shared.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { chaptersOf, ticksOf, type Tick } from './ticks.ts';

/** Annotations and chapters of the recording as ticks of the timeline. */
export function useTicks() {
  const { t } = useTranslation(['player', 'contents']);
  const { live, player } = useMeeting();
  const nameOf = useTypeName();
  const view = useAnnotations();
  const openPane = useSetAtom(openPaneAtom);
  const goTo = useGoToAnnotation();
  const chapters = useShared(live.doc.getMap('toc'), () => chaptersOf(readTimed(live.doc, 'toc')));
  const { lookOf } = useKnownSets();
  const ticks = useMemo(() => ticksOf(view, chapters, lookOf), [view, chapters, lookOf]);
  return {
    ticks,
    chapters,
    labelOf: ({ kind, type, quote }: Tick): string => {
      if (kind === 'chapter') return t('ticks.chapter', { name: quote || t('contents:unnamed') });
      return type === null ? t('ticks.comment', { quote }) : t('ticks.outcome', { type: nameOf(type), quote });
    },
    pick: ({ kind, id, at }: Tick): void => {
      if (kind === 'chapter') return player.seek(at);
      const item = view?.[kind].get(id);
      if (!item) return;
      openPane(paneOf[kind]);
      goTo(kind, item);
    },
  };
}
