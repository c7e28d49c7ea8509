import { useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';

import { annotationsAtom } from '../base/open-annotations.ts';
import { UnsentWords } from '../../live/unsent-words.tsx';
import type { UnsentWords as Words } from '../../live/room.ts';

const nothing = () => () => undefined;
const none: readonly Words[] = [];

/** What was noted and can never be sent: said whatever pane is open, as the words of the text are. */
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
