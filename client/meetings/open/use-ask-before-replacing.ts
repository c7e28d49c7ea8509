import { useEffect, useState } from 'react';

import { useConfirm } from '../../store.ts';
import { useTranslation } from '../../use-translation.ts';
import type { AskBeforeReplacing } from '../text/replacing.ts';
import { useMeeting } from './meeting-context.ts';

/** Dialog before many words with times are typed or pasted over. */
export function useAskBeforeReplacing(): AskBeforeReplacing {
  const { words } = useMeeting();
  const { t } = useTranslation('document');
  const confirm = useConfirm();
  const [now] = useState(() => {
    let read = () => words;
    let ask = (_words: number) => Promise.resolve(true);
    const guard: AskBeforeReplacing = {
      timedWords: (from, to) => read().timedWords(from, to),
      ask: (count) => ask(count),
    };
    return { guard, say: (next: typeof read, question: typeof ask) => void ([read, ask] = [next, question]) };
  });
  useEffect(() => {
    now.say(
      () => words,
      (count) =>
        confirm({
          title: t('replaceWords.title', { count }),
          text: t('replaceWords.text'),
          action: t('replaceWords.action'),
        }),
    );
  });
  return now.guard;
}
