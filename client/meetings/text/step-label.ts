import * as Y from 'yjs';
import { textOf } from '#shared/meetings/transcript.ts';

import type { UndoStep } from './undo-steps.ts';

// Says what a step of undo or redo changes, from the document alone: the step itself only knows ids.

/** Maps of the document that steps change, beside the text. */
const maps = ['segments', 'speakers', 'checked', 'toc', 'bookmarks', 'highlights'] as const;

/** Describes an undo step for the tooltip of its button. */
interface StepLabel {
  kind: 'typed' | 'deleted' | 'replaced' | 'split' | 'merged' | (typeof maps)[number];
  /** Letters that came, and letters that went, each shortened. */
  text: string;
  old: string;
}

/** Adapting a sentence to a split or merge changes no more letters than these. */
const aroundBoundary = 3;
const shown = 30;

interface Touched {
  letters: string;
  boundaries: number;
}

/**
 * The latest step that undo would take back, or redo bring again. Looks at the whole text, so it is for a moment in
 * which a person asks.
 */
export function labelOf(doc: Y.Doc, step: UndoStep, which: 'undo' | 'redo'): StepLabel {
  // An undone step holds what the undo did: what it deleted is what redo brings again.
  const [came, went] = which === 'undo' ? [step.insertions, step.deletions] : [step.deletions, step.insertions];
  const [put, gone] = [touched(doc, came, went), touched(doc, went, came)];
  const [text, old] = [shorten(put.letters), shorten(gone.letters)];
  const letters = put.letters.trim().length + gone.letters.trim().length;
  if (letters <= aroundBoundary && put.boundaries !== gone.boundaries)
    return { kind: put.boundaries > gone.boundaries ? 'split' : 'merged', text, old };
  if (put.letters !== '' && gone.letters !== '') return { kind: 'replaced', text, old };
  if (put.letters !== '') return { kind: 'typed', text, old };
  if (gone.letters !== '') return { kind: 'deleted', text, old };
  return { kind: maps.find((name) => touches(doc, name, [came, went])) ?? 'segments', text, old };
}

type Ids = UndoStep['insertions'];

/** Text of these ids in reading order; what the same step both wrote and deleted counts for neither. */
function touched(doc: Y.Doc, ids: Ids, not: Ids): Touched {
  const found = { letters: '', boundaries: 0 };
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    const { id, length, content } = item;
    if (!ids.clients.has(id.client)) continue;
    for (let at = 0; at < length; at += 1) {
      const one = Y.createID(id.client, id.clock + at);
      if (!Y.isDeleted(ids, one) || Y.isDeleted(not, one)) continue;
      if (content instanceof Y.ContentString) found.letters += content.str[at] ?? '';
      else if (item.countable) found.boundaries += 1;
    }
  }
  return found;
}

/** Whether the step changed an entry of the map. */
function touches(doc: Y.Doc, name: string, sets: readonly Ids[]): boolean {
  const inside = (type: Pick<Y.Map<unknown>, '_map'>): boolean =>
    [...type._map.values()].some((latest) => {
      for (let item: Y.Item | null = latest; item !== null; item = item.left) {
        const { id } = item;
        if (sets.some((ids) => Y.isDeleted(ids, id))) return true;
        if (item.content instanceof Y.ContentType && inside(item.content.type)) return true;
      }
      return false;
    });
  return inside(doc.getMap(name));
}

function shorten(letters: string): string {
  const text = letters.replaceAll(/\s+/g, ' ').trim();
  return [...text].length > shown ? `${[...text].slice(0, shown).join('').trimEnd()}…` : text;
}
