import type { Transaction } from '@tiptap/pm/state';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';

import { useNotify } from '../../store.ts';
import { fromFlat, toFlat } from '../text/flat.ts';
import { Painter } from '../text/paint.ts';
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
    const place = (starts[found?.segment ?? near] ?? 0) + (found?.at ?? 0);
    const mark = found && markWords(text, place, find);
    showPlace(time, () => mark?.place() ?? place);
    return mark?.end;
  });
  useEffect(() => {
    if (open && ms !== null) return lead(open, ms);
  }, [open, ms, find]);
  return null;
}

/**
 * Marks words at a place of the flat text while they stand there, also where others write before them. A page may open on
 * its own copy of the text, and hear of what was written since a moment later.
 */
function markWords({ editor, view }: OpenText, place: number, said: string): { place: () => number; end: () => void } {
  let at = fromFlat(editor.state.doc, place);
  const painter = new Painter(editor, [kind], ({ node, pos }) => {
    const from = at - pos - 1;
    return from >= 0 && node.textContent.startsWith(said, from) ? [{ from, to: from + said.length, kind }] : [];
  });
  const moved = ({ transaction }: { transaction: Transaction }) => {
    at = transaction.mapping.map(at);
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
  return { place: () => toFlat(editor.state.doc, at), end };
}
