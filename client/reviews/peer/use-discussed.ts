import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef } from 'react';

import { mayAdd } from '#shared/meetings/annotation-rules.ts';

import { begunAtom } from '../../meetings/annotations/base/open-annotations.ts';
import { passageBetween } from '../../meetings/annotations/base/selection.ts';
import { useAsking } from '../../meetings/annotations/base/use-asking.ts';
import { composeFocusAtom } from '../../meetings/annotations/comments/drafts.ts';
import { openPaneAtom } from '../../meetings/base/open-pane.ts';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { useOpenText, type OpenText } from '../../meetings/open/open-text.ts';
import { useShowPlace } from '../../meetings/open/use-show-place.ts';
import { useOpened, type Disputed } from './opened.ts';

/** Shows the passage about which the discussion was opened, and begins a comment on it. */
export function useDiscussed(): void {
  const { passage } = useOpened();
  const { words, live } = useMeeting();
  const text = useOpenText();
  const showPlace = useShowPlace();
  const openPane = useSetAtom(openPaneAtom);
  const begin = useSetAtom(begunAtom);
  const focus = useSetAtom(composeFocusAtom);
  const may = mayAdd(useAsking(), false);
  const shown = useRef<Disputed | null>(null);
  const lead = useEffectEvent((open: OpenText, disputed: Disputed) => {
    // Once: the text opens anew when a version is restored.
    if (shown.current === disputed) return;
    shown.current = disputed;
    const [from, to] = [disputed.start * 1000, disputed.end * 1000];
    const found = passageBetween(open, words, live.generation, from, to);
    showPlace(from, () => found?.from ?? null);
    openPane('comments');
    if (!may || !found) return;
    begin(found.passage);
    focus((count) => count + 1);
  });
  useEffect(() => {
    if (text && passage) lead(text, passage);
  }, [text, passage]);
}
