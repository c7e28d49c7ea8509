import { useAtomValue, useSetAtom } from 'jotai';

import { useMeeting } from '../meeting-context.ts';
import type { Recording } from './recorder.ts';
import { recordingAtom, recordingsAtom } from './voices.ts';

/** What was recorded for this and not sent yet; another meeting has its own. */
export function useRecording(draft: string): [Recording | null, (recording: Recording | null) => void] {
  const key = `${useMeeting().about.id} ${draft}`;
  const recording = useAtomValue(recordingsAtom).get(key) ?? null;
  const keep = useSetAtom(recordingAtom);
  return [recording, (next) => keep(key, next)];
}
