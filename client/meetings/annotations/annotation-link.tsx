import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useEffectEvent } from 'react';
import { useSearchParams } from 'react-router-dom';

import { annotationKinds, type Annotation, type AnnotationKind } from '#shared/meetings/annotations.ts';

import { useNotify } from '../../store.ts';
import { useTranslation } from '../../use-translation.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import type { AnnotationsView } from './base/meeting-annotations.ts';
import { annotationsAtom, placesAtom, useAnnotations } from './base/open-annotations.ts';
import { paneOf } from './base/placed.ts';
import { threadsOf, threadWith } from './base/threads.ts';
import { useGoToAnnotation } from './base/use-go-to-annotation.ts';

/** Annotation that has the card; a reply is shown in its thread. */
function annotationIn(view: AnnotationsView, kind: AnnotationKind, id: string): Annotation | undefined {
  return kind === 'comment' ? threadWith(threadsOf(view.comment), id)?.root : view.outcome.get(id);
}

/** Opens the pane at the annotation of `?comment=<id>` or `?outcome=<id>`, once loaded. */
export function AnnotationLink() {
  const { t } = useTranslation('annotations');
  const [query] = useSearchParams();
  const kind = annotationKinds.find((one) => query.has(one)) ?? 'comment';
  const wanted = query.get(kind);
  const view = useAnnotations();
  const items = useAtomValue(annotationsAtom);
  const places = useAtomValue(placesAtom);
  const openPane = useSetAtom(openPaneAtom);
  const goTo = useGoToAnnotation();
  const notify = useNotify();
  const item = wanted !== null && view ? annotationIn(view, kind, wanted) : undefined;
  const ready = wanted !== null && places !== null && view?.ready === true;
  const found = item !== undefined;
  const lead = useEffectEvent(() => {
    if (!item) return;
    openPane(paneOf[kind]);
    goTo(kind, item);
  });
  useEffect(() => {
    if (ready && found) lead();
  }, [ready, found, kind, wanted]);
  const missing = useEffectEvent(() => notify({ type: 'info', message: t(`notHere.${kind}`) }));
  // The copy in this browser may be older than the annotation, so only the server decides that it is missing.
  const asked = items !== null && ready && !found;
  useEffect(() => {
    if (!asked || !items) return;
    const room = items.room(kind);
    const look = () => {
      const { state, ready: filled } = room.read();
      if (!state.connected || !filled) return;
      stop();
      clearTimeout(timer);
      timer = setTimeout(() => missing(), 3_000);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = room.subscribe(look);
    look();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [asked, items, kind, wanted]);
  return null;
}
