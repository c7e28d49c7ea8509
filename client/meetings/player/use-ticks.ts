import { useSetAtom } from 'jotai';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useAnnotations } from '../annotations/base/open-annotations.ts';
import { paneOf } from '../annotations/base/placed.ts';
import { useGoToAnnotation } from '../annotations/base/use-go-to-annotation.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import { useTypeName } from '../annotations/outcomes/use-type-name.ts';
import { ticksOf, type Tick } from './ticks.ts';

const none: readonly Tick[] = [];

/** Annotations of the recording as ticks of the timeline. */
export function useTicks() {
  const { t } = useTranslation('player');
  const nameOf = useTypeName();
  const view = useAnnotations();
  const openPane = useSetAtom(openPaneAtom);
  const goTo = useGoToAnnotation();
  const ticks = useMemo(() => (view ? ticksOf(view) : none), [view]);
  return {
    ticks,
    labelOf: ({ type, quote }: Tick): string =>
      type === null ? t('ticks.comment', { quote }) : t('ticks.outcome', { type: nameOf(type), quote }),
    pick: ({ kind, id }: Tick): void => {
      const item = view?.[kind].get(id);
      if (!item) return;
      openPane(paneOf[kind]);
      goTo(kind, item);
    },
  };
}
