import { useSetAtom } from 'jotai';

import type { Track } from '#shared/recorder.ts';

import { useApi, type Api } from '../api.ts';
import { noteUnsent } from '../unsent-sound.ts';
import { recorderAtom } from './current.ts';
import { takeMeeting } from './lock.ts';
import { noStore, openPieceStore } from './piece-store.ts';
import { LiveRecorder, type RecorderWorld, type Source } from './recorder.ts';
import { recorderWorld } from './world.ts';

interface Begun {
  meeting: string;
  title: string;
  /** Milliseconds since the recording began, and those that were recorded; a continued recording has them. */
  offset?: number;
  ms?: number;
}

interface Beginning {
  user: string;
  tracks: readonly Track[];
  /** The meeting to record; called when there is sound. */
  meeting: () => Promise<Begun>;
}

/** Opens the sound, then records; rejects with `NoSound`, or as `meeting` does. */
export function useBegin(): (beginning: Beginning) => Promise<string> {
  const api = useApi();
  const setRecorder = useSetAtom(recorderAtom);
  return async (beginning) => {
    const recorder = await begin(api, beginning);
    setRecorder(recorder);
    recorder.start();
    return recorder.meeting;
  };
}

async function begin(api: Api, { user, tracks, meeting }: Beginning): Promise<LiveRecorder> {
  const world = recorderWorld(api);
  const sources = await openAll(world, tracks);
  try {
    const about = await meeting();
    noteUnsent(user, true);
    const store = await openPieceStore(user).catch(() => noStore);
    let recorder: LiveRecorder | null = null;
    const held = await takeMeeting(about.meeting, () => recorder?.leave('elsewhere'));
    recorder = new LiveRecorder(about, sources, world, store);
    attach(recorder, () => {
      held.release();
      void Promise.all([store.takes(), store.ends()]).then(
        (left) => left.every(({ length }) => length === 0) && noteUnsent(user, false),
        () => {},
      );
    });
    return recorder;
  } catch (error) {
    for (const source of sources.values()) source.close();
    throw error;
  }
}

async function openAll(world: RecorderWorld, tracks: readonly Track[]): Promise<Map<Track, Source>> {
  const sources = new Map<Track, Source>();
  try {
    // The tab first: browsers ask for it only right after a press.
    for (const track of tracks.toSorted().toReversed()) sources.set(track, await world.open(track, tracks.length > 1));
    return sources;
  } catch (error) {
    for (const source of sources.values()) source.close();
    throw error;
  }
}

/** Connects a recorder with the events of its page until it is over. */
function attach(recorder: LiveRecorder, over: () => void): void {
  const ending = new AbortController();
  const { signal } = ending;
  window.addEventListener('pagehide', recorder.pageLeft, { signal });
  window.addEventListener('online', recorder.wake, { signal });
  const unsubscribe = recorder.subscribe(() => {
    if (!['ended', 'elsewhere', 'closed'].includes(recorder.now().phase)) return;
    ending.abort();
    unsubscribe();
    over();
  });
}
