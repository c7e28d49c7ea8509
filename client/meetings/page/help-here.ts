import { useAtomValue } from 'jotai';

import type { GuidePage } from '#shared/guide.ts';

import { useHelpPage } from '../../support/help-page.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import { viewAtom, type View } from '../open/view.ts';

const pageOfView: Record<View, GuidePage | null> = { transcript: 'correct', tags: 'speakers', analytics: null };

/** Pages about panes, by the panes' ids. */
const pageOfPane = new Map<string, GuidePage>([
  ['outcomes', 'outcomes'],
  ['comments', 'outcomes'],
  ['notes', 'outcomes'],
  ['doubts', 'correct'],
  ['find', 'correct'],
  ['history', 'correct'],
  ['original', 'correct'],
  ['summary', 'model'],
  ['toc', 'model'],
  ['chat', 'model'],
  ['reviews', 'assess'],
]);

/** Lets help lead to the page about the open pane, or else about the view of the recording. */
export function HelpHere() {
  const pane = useAtomValue(openPaneAtom);
  const view = useAtomValue(viewAtom);
  useHelpPage(pane === null ? pageOfView[view] : (pageOfPane.get(pane) ?? null));
  return null;
}
