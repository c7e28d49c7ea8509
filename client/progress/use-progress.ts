import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';

import type { MeetingAbout, MeetingHit } from '#shared/meetings/meeting.ts';
import type { ProgressNews } from '#shared/page-news.ts';
import { browserWorld } from '#sync/client/browser.ts';
import { NewsLine, type NewsEvents } from '#sync/client/news.ts';

import { ownLineAtom } from '../news/own-line.ts';
import { isUnderWay } from './progress-line.tsx';

type Moved = Extract<ProgressNews, { kind: 'progress' }>;

/**
 * Progress pushed by the server: of all recordings in the person's lists (''), of one, or of none (null). Returns true
 * while connected; otherwise the caller polls.
 */
function useNews(of: string | null, heard: (moved: Moved) => void, lookAgain: () => void): boolean {
  const [connected, setConnected] = useState(false);
  const onHeard = useEffectEvent(heard);
  const onAgain = useEffectEvent(lookAgain);
  const own = useAtomValue(ownLineAtom);
  useEffect(() => {
    if (of === null) return;
    const events: NewsEvents = {
      connected: (yes) => {
        setConnected(yes);
        // Progress before the connection was missed.
        if (yes) onAgain();
      },
      received: (said) => {
        const news = said as ProgressNews;
        if (news.kind === 'again') onAgain();
        if (news.kind === 'progress') onHeard(news);
      },
    };
    const line = of === '' ? null : new NewsLine(`news?meeting=${encodeURIComponent(of)}`, browserWorld(), events);
    const stop = line ? () => line.stop() : own.subscribe(events);
    return () => {
      stop();
      setConnected(false);
    };
  }, [of, own]);
  return connected;
}

interface Listed {
  hits: MeetingHit[];
}

/** Updates the progress in the lists under `listKey`. */
export function useListProgress(listKey: QueryKey): boolean {
  const queries = useQueryClient();
  const [met] = useState(() => new Set<string>());
  const lists = () => queries.getQueriesData<Listed>({ queryKey: listKey }).flatMap(([, data]) => data?.hits ?? []);
  const again = () => void queries.invalidateQueries({ queryKey: listKey });
  return useNews(
    '',
    ({ meeting, progress }) => {
      const known = lists().some(({ id }) => id === meeting);
      queries.setQueriesData<Listed>({ queryKey: listKey }, (data) =>
        data?.hits?.some(({ id }) => id === meeting)
          ? { ...data, hits: data.hits.map((hit) => (hit.id === meeting ? { ...hit, progress } : hit)) }
          : data,
      );
      // Finished recordings have a length now; unknown ones may belong in this list.
      if (!isUnderWay(progress) || (!known && !met.has(meeting))) again();
      met.add(meeting);
    },
    () => {
      if (lists().some(({ progress }) => isUnderWay(progress))) again();
    },
  );
}

/** Updates the progress of one recording whose page has `about` under this key. */
export function useMeetingProgress(id: string | null, aboutKey: QueryKey): boolean {
  const queries = useQueryClient();
  const again = () => void queries.invalidateQueries({ queryKey: aboutKey });
  return useNews(
    id,
    ({ progress }) => {
      queries.setQueryData<MeetingAbout>(aboutKey, (about) => about && { ...about, progress });
      // The media may be ready before the transcript.
      const silent = queries.getQueryData<MeetingAbout>(aboutKey)?.media.length === 0;
      if (silent || !isUnderWay(progress)) again();
    },
    again,
  );
}
