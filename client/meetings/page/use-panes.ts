import { useAnalyticsPane } from '../panes/analytics/use-analytics-pane.tsx';
import { useCommentsPane } from '../annotations/comments/use-comments-pane.tsx';
import { useContentsPanes } from '../panes/contents/use-contents-panes.tsx';
import type { Pane } from '../base/pane.ts';
import { useDoubtsPane } from '../panes/doubts/use-doubts-pane.ts';
import { useFindPane } from '../panes/find/use-find-pane.ts';
import { useHistoryPane } from '../panes/history/use-history-pane.tsx';
import { useNotesPane } from '../annotations/notes/use-notes-pane.tsx';
import { useOriginalPane } from '../panes/original/use-original-pane.ts';
import { useOutcomesPane } from '../annotations/outcomes/use-outcomes-pane.tsx';
import { useVideoPane } from '../player/video.tsx';
import { useSpeakersPane } from '../panes/speakers/use-speakers-pane.tsx';
import { useSummaryPane } from '../annotations/summary/use-summary-pane.tsx';

/** Panes of the dock in their default order. */
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
