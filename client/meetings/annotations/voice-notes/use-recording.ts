import { useAtomValue, useSetAtom } from 'jotai';

import { useMeeting } from '../../open/meeting-context.ts';
import type { Recorder } from '../base/recorder.ts';
import { recordersAtom, recordingAtom, recordingsAtom, type UnsentVoiceNote } from '../base/recordings.ts';

/** Key of the new voice note: one at a time, with its passage. */
export const voiceNote = 'voice note';

interface Kept {
  /** Unsent recording of this field in this meeting. */
  recording: UnsentVoiceNote | null;
  /** Running recorder of this field. */
  running: Recorder | null;
  /** Stores a recording; null discards it, also while it is being recorded. */
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
