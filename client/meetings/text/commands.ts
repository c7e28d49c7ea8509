import { Fragment, Slice } from '@tiptap/pm/model';
import { TextSelection, type Command, type Transaction } from '@tiptap/pm/state';
import { ReplaceStep } from '@tiptap/pm/transform';
import { newId } from '#shared/ids.ts';
import { glue } from '#shared/meetings/transcript.ts';
import { segmentNode, speakerOf } from './schema.ts';
import { ownStep } from './undo-steps.ts';

/** Paragraph to insert; without a speaker it takes the one at the caret. */
export interface Paragraph {
  text: string;
  speaker?: string;
}

/** Moves the text after the caret into a new segment of the same speaker. */
export const splitSegment: Command = (state, dispatch) =>
  insertParagraphs([{ text: '' }, { text: '' }])(state, dispatch);

/**
 * Inserts the first paragraph at the caret and each further one as a new segment; the text after the caret follows the
 * last.
 */
export function insertParagraphs(paragraphs: readonly Paragraph[]): Command {
  return ({ selection, tr, doc }, dispatch) => {
    // Selecting the whole document means selecting all of its text.
    const { from, to } = selection.$from.depth > 0 ? selection : TextSelection.create(doc, 1, doc.content.size - 1);
    if (!putParagraphs(tr, from, to, paragraphs)) return false;
    dispatch?.(tr.setMeta(ownStep, true).scrollIntoView());
    return true;
  };
}

export function putParagraphs(tr: Transaction, from: number, to: number, paragraphs: readonly Paragraph[]): boolean {
  const { schema } = tr.doc.type;
  const spoken = speakerOf(tr.doc.resolve(from).node(1));
  const [first] = paragraphs;
  if (!first) return false;
  const content =
    paragraphs.length === 1
      ? Fragment.from(first.text === '' ? null : schema.text(first.text))
      : Fragment.from(paragraphs.map(({ text, speaker }) => segmentNode(schema, newId(), speaker ?? spoken, text)));
  const open = paragraphs.length === 1 ? 0 : 1;
  const size = content.size - 2 * open;
  if (size === 0 && from === to) return false;
  tr.step(new ReplaceStep(from, to, new Slice(content, open, open)));
  tr.setSelection(TextSelection.create(tr.doc, from + size));
  return true;
}

/** Joins the segment to the previous one when the caret is at its start. */
export const mergeBackward: Command = ({ selection, tr }, dispatch) => {
  const { $from, empty } = selection;
  if (!empty || $from.depth === 0 || $from.parentOffset > 0 || $from.index(0) === 0) return false;
  return join(tr, $from.before(1), dispatch);
};

/** Joins the next segment to this one when the caret is at its end. */
export const mergeForward: Command = ({ selection, tr, doc }, dispatch) => {
  const { $from, empty } = selection;
  if (!empty || $from.depth === 0 || $from.parentOffset < $from.parent.content.size) return false;
  if ($from.index(0) === doc.childCount - 1) return false;
  return join(tr, $from.after(1), dispatch);
};

function join(tr: Transaction, at: number, dispatch: Parameters<Command>[1]): true {
  const place = tr.doc.resolve(at);
  const blank = glue(place.nodeBefore?.textContent ?? '', place.nodeAfter?.textContent ?? '');
  const between = blank === '' ? Slice.empty : new Slice(Fragment.from(tr.doc.type.schema.text(blank)), 0, 0);
  const before = tr.selection.from;
  tr.step(new ReplaceStep(at - 1, at + 1, between));
  // Caret before the added blank when the next segment was joined here, after it when this one was joined upwards.
  const caret = before < at ? at - 1 : at - 1 + blank.length;
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, caret)).scrollIntoView());
  return true;
}

export const deleteSelected: Command = ({ selection, tr }, dispatch) => {
  if (selection.empty) return false;
  dispatch?.(tr.deleteSelection().scrollIntoView());
  return true;
};
