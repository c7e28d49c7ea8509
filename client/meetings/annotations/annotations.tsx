import { useAtom, useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';

import { ApiError, useApi } from '../../api.ts';
import { loadChunk } from '../../load.ts';
import { useKnownSets } from '../../outcome-models/known-sets.ts';
import { fullName, useSession } from '../../session.ts';
import { useNotify, useReportUnsaved, type NoticePart } from '../../store.ts';
import { useTranslation } from '../../use-translation.ts';
import { useHighlights } from './highlights/use-highlights.ts';
import { pageRoomsAtom } from '../live/page-rooms.ts';
import { whyRefused } from '../live/use-room.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import { toFlat } from '../text/flat.ts';
import { useOpenText } from '../open/open-text.ts';
import { NotUploaded, voiceOf } from './base/recordings.ts';
import type { Command } from './base/commands.ts';
import { refusedAtom, nowStored, withRefused } from './base/refused-commands.ts';
import type { MeetingAnnotations } from './base/meeting-annotations.ts';
import { TooOld } from './base/too-old.ts';
import {
  begunAtom,
  chosenAtom,
  annotationsAtom,
  marginAtom,
  annotationsErrorAtom,
  annotationsTryAtom,
  placesAtom,
  speakingAtom,
  taggingAtom,
  useAnnotations,
} from './base/open-annotations.ts';
import type { Chosen } from './base/places.ts';
import { AnnotationLink } from './annotation-link.tsx';
import { useLearnTypes } from './outcomes/use-learn-types.ts';
import { SelectionBar } from './selection-bar.tsx';
import { paneOf, placedBegun, placedOf } from './base/placed.ts';

const load = () =>
  loadChunk(async () => {
    const [items, places, send] = await Promise.all([
      import('./base/meeting-annotations.ts'),
      import('./base/places.ts'),
      import('./base/send.ts'),
    ]);
    return { ...items, ...places, ...send };
  });

type Loaded = Awaited<ReturnType<typeof load>>;

/** Closed recordings that still send commands, by id. */
const leaving = new Map<string, MeetingAnnotations>();

/** Runs work in idle time; Safari lacks requestIdleCallback. */
function idle(work: () => void): () => void {
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: 1_000 });
  return () => cancelIdleCallback(handle);
}

/** Loads outcomes and comments once the transcript is ready, and draws them in it. */
export function Annotations() {
  const loaded = useLoaded();
  useOpenAnnotations(loaded);
  useDrawnAnnotations(loaded);
  useLearnTypes();
  useChoosing();
  useHighlights();
  return (
    <>
      <SelectionBar />
      <AnnotationLink />
    </>
  );
}

function useLoaded(): Loaded | null {
  const open = useOpenText() !== null;
  const tries = useAtomValue(annotationsTryAtom);
  const setError = useSetAtom(annotationsErrorAtom);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    if (!open || loaded) return;
    let here = true;
    const stop = idle(() => {
      setError(null);
      load().then(
        (parts) => here && setLoaded(parts),
        (error: unknown) => here && setError(error),
      );
    });
    return () => {
      here = false;
      stop();
    };
  }, [open, loaded, tries, setError]);
  return loaded;
}

function useOpenAnnotations(loaded: Loaded | null): void {
  const { about, layer, live } = useMeeting();
  const { id } = about;
  const byLayer = layer !== null;
  const reviewerId = layer?.reviewerId ?? null;
  const api = useApi();
  const principal = useSession().data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const known = principal !== undefined;
  const name = principal?.kind === 'user' ? fullName(principal) : '';
  const rooms = useAtomValue(pageRoomsAtom);
  const report = useReportUnsaved();
  const [items, setAnnotations] = useAtom(annotationsAtom);
  const refused = useRefused();
  const onRefused = useEffectEvent(refused);
  const setLost = useSetAtom(refusedAtom);
  const onNotUploaded = useEffectEvent(useNotUploaded(items));
  useEffect(() => {
    if (!loaded || !known) return;
    const made = new loaded.MeetingAnnotations({
      meeting: id,
      layer: byLayer,
      userId,
      name,
      reviewerId,
      send: loaded.sender(
        api,
        id,
        userId,
        (command) => onNotUploaded(command),
        async () => (await whyRefused(api, `${id}/transcript`)) === 'access',
      ),
      whyRefused: (room) => whyRefused(api, room),
      refused: (commands, error, left, kept) => {
        setLost((before) => withRefused(before, id, left, false));
        void kept.then((yes) => yes && setLost((before) => nowStored(before, left)));
        onRefused(commands, error, left);
      },
      found: (left) => setLost((before) => withRefused(before, id, left, true)),
      // Reopened before the last visit sent everything: takes over the rest.
      before: leaving.get(id) ?? null,
    });
    rooms.add(made);
    const owner = `items ${id}`;
    made.subscribe(() => report(owner, made.read().state.pending));
    setAnnotations(made);
    return () => {
      setAnnotations(null);
      rooms.remove(made);
      leaving.set(id, made);
      made.close(() => {
        report(owner, 0);
        if (leaving.get(id) === made) leaving.delete(id);
      });
    };
  }, [loaded, known, userId, name, reviewerId, id, byLayer, api, rooms, report, setAnnotations, setLost]);

  const { connected } = live.state;
  const elsewhere = live.ended === 'session';
  useEffect(() => {
    if (!items) return;
    // Another user may have signed in: nothing may be sent in their name.
    items.queue.hold(elsewhere);
    if (connected) items.resume();
  }, [items, elsewhere, connected]);
}

const whys: Record<number, 'gone' | 'used' | 'invalid'> = {
  404: 'gone',
  409: 'used',
  413: 'invalid',
  422: 'invalid',
};

/** Key of the message for a command without permission. */
function forbidden({ kind, do: what }: Command) {
  if (what === 'delete') return 'delete';
  if (what === 'reveal') return kind === 'outcome' ? 'publishOutcome' : 'publishComment';
  return what === 'add' && kind === 'comment' ? 'comment' : 'update';
}

/** Reports refused commands; their content stays listed in its pane. */
function useRefused(): (commands: readonly Command[], error: unknown, left: readonly Command[]) => void {
  const { t } = useTranslation(['annotations', 'voice']);
  const notify = useNotify();
  const openPane = useSetAtom(openPaneAtom);
  return (commands, error, left) => {
    const first = commands[0];
    if (!first) return;
    const show: NoticePart = {
      kind: 'clickable',
      text: t('voice:show'),
      onClick: () => openPane(paneOf[left[0]?.kind ?? first.kind]),
    };
    const shown = left.length > 0 ? [' ', show] : [];
    const status = error instanceof ApiError ? error.status : 0;
    const why = error instanceof TooOld ? 'old' : (whys[status] ?? 'other');
    const said = left.some((command) => voiceOf(command) !== null)
      ? [
          t(`voice:notAdded.${first.kind === 'comment' ? 'comment' : 'outcome'}`),
          ...(error instanceof NotUploaded ? [': ', t('voice:uploading')] : []),
        ]
      : status === 403
        ? [t(`refused.forbidden.${forbidden(first)}`)]
        : [
            first.kind === 'grade' ? t('refused.grade.change') : t(`refused.${first.kind}.${first.do}`),
            ' ',
            t(`refused.why.${why}`),
          ];
    notify({ message: [...said, ...shown], duration: 15_000 });
  };
}

/** Reports a failed upload once; the queue retries it. */
function useNotUploaded(items: MeetingAnnotations | null): (command: Command) => void {
  const { t } = useTranslation('voice');
  const notify = useNotify();
  const [said] = useState(() => new Set<string>());
  return (command) => {
    if (said.has(command.id)) return;
    said.add(command.id);
    const now = { kind: 'clickable' as const, text: t('now'), onClick: () => items?.queue.wake() };
    notify({ message: [t('uploading'), '. ', t('kept'), ' ', now], duration: 15_000 });
  };
}

function useDrawnAnnotations(loaded: Loaded | null): void {
  const { live, words, marks } = useMeeting();
  const open = useOpenText();
  const view = useAnnotations();
  const { lookOf } = useKnownSets();
  const [places, setPlaces] = useAtom(placesAtom);
  const chosen = useAtomValue(chosenAtom);
  const comment = useAtomValue(begunAtom);
  const tagged = useAtomValue(taggingAtom);
  const spoken = useAtomValue(speakingAtom);
  const begun = (tagged ?? spoken)?.stretch ?? comment;
  const { generation } = live;
  useEffect(() => {
    // The editor of the previous document remains for a moment after the room starts anew.
    if (!loaded || !open || open.binding.doc !== words.doc) return;
    const made = new loaded.AnnotationPlaces(open, words, generation, marks);
    const end = made.open();
    setPlaces(made);
    return () => {
      setPlaces(null);
      end();
    };
  }, [loaded, open, words, generation, marks, setPlaces]);
  useEffect(() => {
    if (!view) return;
    const placed = placedOf(view, lookOf);
    places?.show(begun ? [...placed, placedBegun(begun)] : placed);
  }, [places, view, begun, lookOf]);
  useEffect(() => places?.choose(chosen), [places, chosen]);
}

/**
 * Opens what a number beside the transcript counts, and chooses the annotation whose passage is pressed while its card
 * is on the page: in the margin, or in the open pane.
 */
function useChoosing(): void {
  const { marks, words } = useMeeting();
  const open = useOpenText();
  const view = useAnnotations();
  const { lookOf } = useKnownSets();
  const places = useAtomValue(placesAtom);
  const [pane, openPane] = useAtom(openPaneAtom);
  const margin = useAtomValue(marginAtom);
  const [chosen, choose] = useAtom(chosenAtom);
  const pressed = useEffectEvent((kind: Chosen['kind'], segmentId: string | null) => {
    const { segments, starts } = words.reading();
    const index = segments.findIndex(({ id }) => id === segmentId);
    const [from, to] = [starts[index] ?? 0, (starts[index] ?? 0) + (segments[index]?.text.length ?? 0)];
    const found = places?.now();
    const first =
      view &&
      placedOf(view, lookOf).find((one) => {
        const at = one.kind === kind ? found?.get(`${kind} ${one.item.id}`)?.from : undefined;
        return at !== undefined && at >= from && at < to;
      });
    openPane(paneOf[kind]);
    if (first) choose({ kind, id: first.item.id });
  });
  useEffect(() => marks.onPress((kind, id) => pressed(kind, id)), [marks]);

  const clicked = useEffectEvent((event: MouseEvent) => {
    const viewOf = open?.view;
    const at = viewOf?.posAtCoords({ left: event.clientX, top: event.clientY });
    if (!viewOf || !at || !viewOf.state.selection.empty) return;
    const keys = places?.at(toFlat(viewOf.state.doc, at.pos)) ?? [];
    for (const key of keys) {
      const [kind = '', id = ''] = key.split(' ');
      if ((kind !== 'comment' && kind !== 'outcome') || (!margin && paneOf[kind] !== pane)) continue;
      choose({ kind, id });
      return;
    }
    if (margin && chosen) choose(null);
  });
  useEffect(() => {
    const text = open?.view.dom;
    const listener = (event: MouseEvent) => clicked(event);
    text?.addEventListener('click', listener);
    return () => text?.removeEventListener('click', listener);
  }, [open]);
  // Leaving the recording clears the choice.
  useEffect(() => () => choose(null), [choose]);
}
