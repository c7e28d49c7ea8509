import { useAtomValue, useSetAtom } from 'jotai';

import type { Item, ItemKind } from '#shared/meetings/items.ts';

import { useMeeting } from '../meeting-context.ts';
import { fromFlat } from '../transcript/flat.ts';
import { useOpenText } from '../transcript/open-text.ts';
import { reveal } from '../transcript/paint.ts';
import { viewAtom } from '../view.ts';
import { chosenAtom, placesAtom } from './open-items.ts';
import { keyOf } from './places.ts';

/** Brings what an item is about before eyes and ears. */
export function useGoToItem(): (kind: ItemKind, item: Item) => void {
  const { player, speakers, words } = useMeeting();
  const open = useOpenText();
  const places = useAtomValue(placesAtom);
  const choose = useSetAtom(chosenAtom);
  const show = useSetAtom(viewAtom);
  return (kind, item) => {
    choose({ kind, id: item.id });
    show('transcript');
    // The text is found on the screen only where it is shown, and above a pane that has opened.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        player.seek(item.start * 1000, 'quiet');
        const place = places?.settle().get(keyOf({ kind, id: item.id }));
        if (!place || !open || open.editor.view.isDestroyed) return;
        const { segments, starts } = words.reading();
        const segment = segments[starts.findLastIndex((start) => start <= place.from)];
        const speaker = segment && words.speaker(segment);
        if (speaker !== undefined && speakers.now().hidden.has(speaker)) speakers.hide(speaker, false);
        reveal(open.editor.view, fromFlat(open.editor.state.doc, place.from));
      }),
    );
  };
}
