import { useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';

import { annotationsAtom } from '../base/open-annotations.ts';
import { UnsentWords } from '../../live/unsent-words.tsx';
import type { UnsentWords as Words } from '../../live/room.ts';

const nothing = () => () => undefined;
const none: readonly Words[] = [];

/** Notes that can no longer be sent, shown whatever pane is open. */
export function UnsentNotes() {
  const room = useAtomValue(annotationsAtom)?.notes;
  const left = useSyncExternalStore(room?.subscribe ?? nothing, () => room?.read().unsent ?? none);
  return left.map((words) => (
    <UnsentWords
      key={`${words.why} ${words.generation} ${words.text}`}
      words={{ ...words, of: 'notes' }}
      onDone={() => void room?.letGo(words)}
    />
  ));
}
