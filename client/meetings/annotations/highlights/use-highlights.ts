import { atom, useAtom, useAtomValue } from 'jotai';
import { useEffect } from 'react';

import { highlightColors, type HighlightColor } from '#shared/meetings/entries.ts';

import { useNotify } from '../../../store.ts';
import { useTranslation } from '../../../use-translation.ts';
import { passageToAnnotate } from '../base/selection.ts';
import { useAction } from '../../base/actions.ts';
import { useMarking, useMeeting } from '../../open/meeting-context.ts';
import { useOpenText, useStep } from '../../open/open-text.ts';
import { Highlights } from './highlights.ts';

const highlightsAtom = atom<Highlights | null>(null);
/** Colour used last. */
const colorAtom = atom<HighlightColor>(highlightColors[0]);

/** Draws the highlights, and binds the shortcut that adds or removes one. */
export function useHighlights(): void {
  const { live, words } = useMeeting();
  const open = useOpenText();
  const [highlights, setHighlights] = useAtom(highlightsAtom);
  const color = useAtomValue(colorAtom);
  const { generation } = live;
  const marking = useMarking();
  useEffect(() => {
    // The editor of the previous document remains for a moment after the room starts anew.
    if (!open || open.binding.doc !== words.doc) return;
    const made = new Highlights(open, words, generation);
    const end = made.open();
    setHighlights(made);
    return () => {
      setHighlights(null);
      end();
    };
  }, [open, words, generation, setHighlights]);
  const { mark, touched } = useHighlighting();
  useAction('highlight', highlights && marking ? () => mark(touched() ? null : color) : null);
}

/** Highlighting of the selected words; null removes their colour. */
export function useHighlighting() {
  const { t } = useTranslation('annotations');
  const { live, words, player } = useMeeting();
  const open = useOpenText();
  const highlights = useAtomValue(highlightsAtom);
  const [, choose] = useAtom(colorAtom);
  const step = useStep();
  const notify = useNotify();
  const marking = useMarking();
  return {
    may: highlights !== null && marking,
    touched: () => (highlights?.touched().length ?? 0) > 0,
    mark: (color: HighlightColor | null) => {
      if (!open || !highlights) return;
      if (color === null) {
        step((by) => highlights.remove(by));
        return;
      }
      const meant = passageToAnnotate(open, words, player, live.generation);
      if (!meant) {
        notify({ message: t('selectFirst'), type: 'info' });
        return;
      }
      choose(color);
      step((by) => highlights.add(meant, color, by));
    },
  };
}
