import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';

import type { PageNews } from '#shared/page-news.ts';

import { ownLineAtom } from '../news/own-line.ts';

/** Calls back when a review of the recording shows this person something else; true while the server can tell so. */
export function useReviewNews(meetingId: string, onChange: () => void): boolean {
  const [connected, setConnected] = useState(false);
  const changed = useEffectEvent(onChange);
  const line = useAtomValue(ownLineAtom);
  useEffect(
    () =>
      line.subscribe({
        connected: setConnected,
        received: (said) => {
          const news = said as PageNews;
          if (news.kind === 'again' || (news.kind === 'review' && news.meeting === meetingId)) changed();
        },
      }),
    [line, meetingId],
  );
  return connected;
}
