import { useEffect } from 'react';

import { timedTagsIn } from '#shared/meetings/sentence.ts';

import { useOpenText } from '../open/open-text.ts';
import { Painter } from '../text/paint.ts';

const kind = 'timed-tag';

/** Marks tags such as [inaudible 00:01:02] as links: a press leads to their time. */
export function useTagLinks(): void {
  const open = useOpenText();
  useEffect(() => {
    if (!open) return;
    const painter = new Painter(open.editor, [kind], ({ node }) =>
      timedTagsIn(node.textContent).map(({ from, to }) => ({ from, to, kind })),
    );
    return painter.open();
  }, [open]);
}
