import { useAtomValue, useSetAtom } from 'jotai';

import { useMeeting } from '../../open/meeting-context.ts';
import type { Recorder } from '../base/recorder.ts';
import { recordersAtom, recordingAtom, recordingsAtom, type UnsentVoiceNote } from '../base/recordings.ts';

/** Of a note: one at a time, with the words it is about. */
export const voiceNote = 'voice note';

interface Kept {
  /** What was recorded for this and not sent yet; another meeting has its own. */
  recording: UnsentVoiceNote | null;
  /** What is recording for it now. */
  running: Recorder | null;
  /** With null nothing is, whether it was recorded already or still is. */
  keep: (recording: UnsentVoiceNote | null) => void;
}

export function useRecordingKey(draft: string): string {
  return `${useMeeting().about.id} ${draft}`;
}

export function useRecording(draft: string): Kept {
  const key = useRecordingKey(draft);
  const recording = useAtomValue(recordingsAtom).get(key) ?? null;
  const running = useAtomValue(recordersAtom).get(key) ?? null;
  const keep = useSetAtom(recordingAtom);
  return { recording, running, keep: (next) => keep(key, next) };
}
