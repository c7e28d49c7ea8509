import type { Node } from '@tiptap/pm/model';
import type { Transaction } from '@tiptap/pm/state';
import { useEffect, useEffectEvent } from 'react';
import { useSearchParams } from 'react-router-dom';

import { useNotify } from '../../store.ts';
import { useTranslation } from '../../use-translation.ts';
import { toFlat } from '../text/flat.ts';
import { Painter } from '../text/paint.ts';
import { idOf } from '../text/schema.ts';
import './found-place.module.css';
import { placeOfWords } from './place-of-words.ts';
import { useMeeting } from './meeting-context.ts';
import { useOpenText, type OpenText } from './open-text.ts';
import { useShowPlace } from './use-show-place.ts';

const kind = 'found-place';

/**
 * Shows the place of `?t=<milliseconds>&find=<words>`, to which a search leads, once the text is open, and marks the words
 * there until the text is pressed or typed in.
 */
export function FoundPlace() {
  const { t } = useTranslation('document');
  const [query] = useSearchParams();
  const { words } = useMeeting();
  const open = useOpenText();
  const showPlace = useShowPlace();
  const notify = useNotify();
  const [at, find] = [query.get('t'), query.get('find') ?? ''];
  const ms = at !== null && /^\d{1,9}$/.test(at) ? Number(at) : null;
  const lead = useEffectEvent((text: OpenText, time: number) => {
    const { segments, starts } = words.reading();
    const near = Math.max(
      0,
      segments.findLastIndex((segment) => segment.from <= time),
    );
    const found = find === '' ? null : placeOfWords(segments, near, time, find);
    if (find !== '' && !found) notify({ type: 'info', message: t('foundGone') });
    const nth = found?.segment ?? near;
    const place = (starts[nth] ?? 0) + (found?.at ?? 0);
    const mark = found && markWords(text, { id: segments[nth]?.id ?? null, at: found.at }, find);
    showPlace(time, () => mark?.place() ?? place);
    return mark?.end;
  });
  useEffect(() => {
    if (open && ms !== null) return lead(open, ms);
  }, [open, ms, find]);
  return null;
}

/**
 * Marks words at a place of a segment while they stand there, also where others write before them. A page may open on its
 * own copy of the text, and hear of what was written since a moment later; its editor may be behind the text or ahead of it.
 */
function markWords(
  { editor, view }: OpenText,
  place: { id: string | null; at: number },
  said: string,
): { place: () => number | null; end: () => void } {
  let at: number | null = null;
  let stood = false;
  const painter = new Painter(editor, [kind], ({ node, pos }) => {
    if (!stood) at = findWords(editor.state.doc, place, said);
    if (at === null) return [];
    const from = at - pos - 1;
    if (from < 0 || !node.textContent.startsWith(said, from)) return [];
    stood = true;
    return [{ from, to: from + said.length, kind }];
  });
  const moved = ({ transaction }: { transaction: Transaction }) => {
    if (at !== null) at = transaction.mapping.map(at);
  };
  editor.on('transaction', moved);
  const close = painter.open();
  const ending = new AbortController();
  const end = () => {
    if (ending.signal.aborted) return;
    ending.abort();
    editor.off('transaction', moved);
    close();
  };
  for (const touch of ['pointerdown', 'beforeinput']) view.dom.addEventListener(touch, end, { signal: ending.signal });
  return {
    place: () => {
      if (!stood) at = findWords(editor.state.doc, place, said);
      return at === null ? null : toFlat(editor.state.doc, at);
    },
    end,
  };
}

/** Position in the editor of words of a segment, the nearest to where they are in the text. */
function findWords(doc: Node, place: { id: string | null; at: number }, said: string): number | null {
  let found: number | null = null;
  doc.forEach((segment, start) => {
    if (found !== null || idOf(segment) !== place.id) return;
    const { textContent } = segment;
    const [before, after] = [textContent.lastIndexOf(said, place.at), textContent.indexOf(said, place.at)];
    const nearest = before < 0 || (after >= 0 && after - place.at < place.at - before) ? after : before;
    if (nearest >= 0) found = start + 1 + nearest;
  });
  return found;
}
