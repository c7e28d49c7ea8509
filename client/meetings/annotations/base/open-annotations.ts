import { atom, useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';

import type { Anchored, Place } from '#shared/meetings/anchors.ts';
import type { AnnotationKind } from '#shared/meetings/annotations.ts';
import type { LiveDocument } from '../../live/room.ts';

import type { AnnotationsView, MeetingAnnotations } from './meeting-annotations.ts';
import type { Chosen, AnnotationPlaces } from './places.ts';

/** Those of the recording that is open; null until its text can be read. */
export const annotationsAtom = atom<MeetingAnnotations | null>(null);

/** Why there are none, where they could not be loaded. */
export const annotationsErrorAtom = atom<unknown>(null);
/** Counted up to try again. */
export const annotationsTryAtom = atom(0);

export const placesAtom = atom<AnnotationPlaces | null>(null);

/** The talk or the outcome somebody is at, in its pane and in the text. */
export const chosenAtom = atom<Chosen | null>(null);

/** What somebody is about to say something about. */
export const begunAtom = atom<Anchored | null>(null);

/** What somebody is about to tag, whether the sound goes on when they have, and for themselves alone if they said so. */
export const taggingAtom = atom<{ stretch: Anchored; resume: boolean; alone?: boolean | undefined } | null>(null);

/** What somebody is about to speak a note about. */
export const speakingAtom = atom<{ stretch: Anchored; resume: boolean } | null>(null);

const nothing = () => () => undefined;
const none = (): null => null;

export function useAnnotations(): AnnotationsView | null {
  const items = useAtomValue(annotationsAtom);
  return useSyncExternalStore<AnnotationsView | null>(items?.subscribe ?? nothing, items?.now ?? none);
}

const nowhere: ReadonlyMap<string, Place> = new Map();
const noPlaces = () => nowhere;

/** Where each of them stands, by its key. */
export function usePlaces(): ReadonlyMap<string, Place> {
  const places = useAtomValue(placesAtom);
  return useSyncExternalStore(places?.subscribe ?? nothing, places?.now ?? noPlaces);
}

/** The room of a kind: whether it stands, and who is in it. */
export function useAnnotationRoom(kind: AnnotationKind): LiveDocument | null {
  const items = useAtomValue(annotationsAtom);
  const room = items?.room(kind);
  return useSyncExternalStore<LiveDocument | null>(room?.subscribe ?? nothing, room?.read ?? none);
}
