import { useAnalyticsPane } from './analytics/use-analytics-pane.tsx';
import { useCommentsPane } from './comments/use-comments-pane.tsx';
import { useContentsPanes } from './contents/use-contents-panes.tsx';
import type { Pane } from './dock.tsx';
import { useDoubtsPane } from './doubts/use-doubts-pane.ts';
import { useFindPane } from './find/use-find-pane.ts';
import { useHistoryPane } from './history/use-history-pane.tsx';
import { useNotesPane } from './notes/use-notes-pane.tsx';
import { useOriginalPane } from './original/use-original-pane.ts';
import { useOutcomesPane } from './outcomes/use-outcomes-pane.tsx';
import { useVideoPane } from './player/video.tsx';
import { useSpeakersPane } from './speakers/use-speakers-pane.tsx';
import { useSummaryPane } from './summary/use-summary-pane.tsx';

/** The panes of the dock, in the order somebody finds them who has not chosen another. */
export function usePanes(): Pane[] {
  return [
    useOutcomesPane(),
    useCommentsPane(),
    useSummaryPane(),
    useDoubtsPane(),
    useFindPane(),
    ...useContentsPanes(),
    useSpeakersPane(),
    useAnalyticsPane(),
    useHistoryPane(),
    useOriginalPane(),
    ...useNotesPane(),
    ...useVideoPane(),
  ];
}
