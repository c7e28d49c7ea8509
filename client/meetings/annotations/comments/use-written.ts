import { useAtomValue } from 'jotai';

import type { Thread } from '../base/threads.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { recordingsAtom } from '../base/recordings.ts';
import { draftsAtom, fieldsAtom } from './drafts.ts';

/** Whether this person has an unsent reply or edit in a thread: it stays listed until that is sent or discarded. */
export function useWritten(): (thread: Thread) => boolean {
  const { id } = useMeeting().about;
  const drafts = useAtomValue(draftsAtom);
  const fields = useAtomValue(fieldsAtom);
  const spoken = useAtomValue(recordingsAtom);
  return ({ root, answers }) =>
    [`reply ${root.id}`, ...[root, ...answers].map((comment) => `edit ${comment.id}`)].some(
      (key) => fields.has(key) || drafts.has(key) || spoken.has(`${id} comment ${key}`),
    );
}
