import { part } from './errors/part.tsx';
import { useChatPane } from './ai/use-chat-pane.tsx';
import { AboveOutcomes } from './meetings/annotations/outcomes/above-outcomes.ts';
import { useCommentsPane } from './meetings/annotations/comments/use-comments-pane.tsx';
import { useFilesPane } from './meetings/annotations/files/use-files-pane.tsx';
import { useNotesPane } from './meetings/annotations/notes/use-notes-pane.tsx';
import { useOutcomesPane } from './meetings/annotations/outcomes/use-outcomes-pane.tsx';
import { useTypesEntry } from './meetings/annotations/outcomes/use-types-entry.tsx';
import { useSummaryPane } from './meetings/annotations/summary/use-summary-pane.tsx';
import { InPanes } from './meetings/base/in-panes.ts';
import type { Pane } from './meetings/base/pane.ts';
import { MenuEntriesOf, type MenuEntry } from './meetings/base/menu-entries.ts';
import { PanesOf } from './meetings/page/rail.tsx';
import { MeetingPage } from './meetings/page/meeting.tsx';
import { useContentsPanes } from './meetings/panes/contents/use-contents-panes.tsx';
import { useDoubtsPane } from './meetings/panes/doubts/use-doubts-pane.ts';
import { useFindPane } from './meetings/panes/find/use-find-pane.ts';
import { useHistoryPane } from './meetings/panes/history/use-history-pane.tsx';
import { useOriginalPane } from './meetings/panes/original/use-original-pane.ts';
import { useVideoPane } from './meetings/player/video.tsx';
import { useReviewsPane } from './reviews/people/use-reviews-pane.tsx';
import { useAskEntry } from './reviews/request/use-ask-entry.tsx';

// Gives the page of a recording its panes and entries of its menu, so that a capability above `meetings` can add one
// without being imported by the page.

const Suggestions = part(() => import('./ai/suggestions.tsx'));
const suggestions = <Suggestions />;
const Drafts = part(() => import('./ai/drafts.tsx'));
const PointQuotes = part(() => import('./ai/point-quotes.tsx'), { inBackground: true });
const inPanes = { summary: <Drafts kind="summary" />, contents: <Drafts kind="chapters" />, Point: PointQuotes };

/** Panes in their default order. */
function usePanes(): Pane[] {
  return [
    useOutcomesPane(),
    useCommentsPane(),
    useDoubtsPane(),
    useFindPane(),
    ...useNotesPane(),
    ...useVideoPane(),
    useSummaryPane(),
    useFilesPane(),
    ...useChatPane(),
    ...useReviewsPane(),
    ...useContentsPanes(),
    ...useHistoryPane(),
    ...useOriginalPane(),
  ];
}

const useEntries = (): MenuEntry[] => [...useAskEntry(), ...useTypesEntry()];

export default function MeetingWithPanes() {
  return (
    <MenuEntriesOf value={useEntries}>
      <AboveOutcomes value={suggestions}>
        <InPanes value={inPanes}>
          <PanesOf value={usePanes}>
            <MeetingPage />
          </PanesOf>
        </InPanes>
      </AboveOutcomes>
    </MenuEntriesOf>
  );
}
