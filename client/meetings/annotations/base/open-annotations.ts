import { atom, useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';

import type { Anchored, Place } from '#shared/meetings/anchors.ts';
import type { AnnotationKind } from '#shared/meetings/annotations.ts';
import type { LiveDocument } from '../../live/room.ts';

import type { AnnotationsView, MeetingAnnotations } from './meeting-annotations.ts';
import type { Chosen, AnnotationPlaces } from './places.ts';

/** Annotations of the open recording; null until its transcript is ready. */
export const annotationsAtom = atom<MeetingAnnotations | null>(null);

/** Error of loading them. */
export const annotationsErrorAtom = atom<unknown>(null);
/** Counter that rises to load them again. */
export const annotationsTryAtom = atom(0);

export const placesAtom = atom<AnnotationPlaces | null>(null);

/** Comment or outcome chosen in its pane and in the transcript. */
export const chosenAtom = atom<Chosen | null>(null);

/** Whether cards are drawn in the margin, level with their passages. */
export const marginAtom = atom(false);

/** Passage of a comment that is being begun. */
export const begunAtom = atom<Anchored | null>(null);

/** Passage of an outcome that is being added, whether playback resumes afterwards, and the choice of "only me". */
export const taggingAtom = atom<{ stretch: Anchored; resume: boolean; alone?: boolean | undefined } | null>(null);

/** Passage of a voice note that is being recorded, and whether playback resumes afterwards. */
export const speakingAtom = atom<{ stretch: Anchored; resume: boolean } | null>(null);

const nothing = () => () => undefined;
const none = (): null => null;

export function useAnnotations(): AnnotationsView | null {
  const items = useAtomValue(annotationsAtom);
  return useSyncExternalStore<AnnotationsView | null>(items?.subscribe ?? nothing, items?.now ?? none);
}

const nowhere: ReadonlyMap<string, Place> = new Map();
const noPlaces = () => nowhere;

/** Current place of each annotation in the transcript, by its key. */
export function usePlaces(): ReadonlyMap<string, Place> {
  const places = useAtomValue(placesAtom);
  return useSyncExternalStore(places?.subscribe ?? nothing, places?.now ?? noPlaces);
}

/** State of the room of a kind, with its presence. */
export function useAnnotationRoom(kind: AnnotationKind): LiveDocument | null {
  const items = useAtomValue(annotationsAtom);
  const room = items?.room(kind);
  return useSyncExternalStore<LiveDocument | null>(room?.subscribe ?? nothing, room?.read ?? none);
}
