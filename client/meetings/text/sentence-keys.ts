import { Slice, Fragment } from '@tiptap/pm/model';
import { TextSelection, type Command, type Transaction } from '@tiptap/pm/state';
import { ReplaceStep } from '@tiptap/pm/transform';
import {
  continueSentence,
  splitSentence,
  writeTag,
  type NonSpeechTag,
  type SentencePreferences,
} from '#shared/meetings/sentence.ts';
import { glue, isHigh } from '#shared/meetings/transcript.ts';
import { insertParagraphs, mergeBackward, mergeForward, splitSegment } from './commands.ts';

// Adapts capitals and full stops when a segment is split or two are merged, in the same transaction as the split or
// merge: one undo reverts both.

export interface Sentences {
  preferences: SentencePreferences;
  lang: string;
}

export type AskSentences = () => Sentences;

/** Splits the segment, ends the sentence before the caret and begins one after it. */
export const splitSentences =
  (ask: AskSentences): Command =>
  (state, dispatch) =>
    splitSegment(
      state,
      dispatch &&
        ((tr) => {
          const { preferences, lang } = ask();
          const behind = tr.selection.$from;
          const index = behind.index(0);
          const [left, right] = [tr.doc.child(index - 1).textContent, behind.parent.textContent];
          const [ends, begins] = splitSentence(left, right, preferences, lang);
          const start = behind.start(1);
          // Last to first, so that earlier positions stay valid.
          retext(tr, start, right, begins);
          retext(tr, start - 2 - left.length, left, ends);
          const caret = start - left.length + ends.length;
          dispatch(tr.setSelection(TextSelection.create(tr.doc, caret)));
        }),
    );

export const mergeSentencesBackward = (ask: AskSentences): Command => continuing(mergeBackward, ask);
export const mergeSentencesForward = (ask: AskSentences): Command => continuing(mergeForward, ask);

/** Merges, and lowers the second part's first letter if the first part ended within a sentence. */
const continuing =
  (merge: Command, ask: AskSentences): Command =>
  (state, dispatch) =>
    merge(
      state,
      dispatch &&
        ((tr) => {
          const { $from } = state.selection;
          const at = merge === mergeBackward ? $from.before(1) : $from.after(1);
          const place = state.doc.resolve(at);
          const [left, right] = [place.nodeBefore?.textContent ?? '', place.nodeAfter?.textContent ?? ''];
          const { preferences, lang } = ask();
          const caret = tr.selection.from;
          retext(tr, at - 1 + glue(left, right).length, right, continueSentence(left, right, preferences, lang));
          dispatch(tr.setSelection(TextSelection.create(tr.doc, caret)));
        }),
    );

/** Makes the smallest edit from one text to the other, never within a surrogate pair. */
function retext(tr: Transaction, start: number, old: string, now: string): void {
  if (old === now) return;
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  if (head > 0 && isHigh(old.charCodeAt(head - 1))) head -= 1;
  if (tail > 0 && isHigh(old.charCodeAt(old.length - tail - 1))) tail -= 1;
  const put = now.slice(head, now.length - tail);
  const content = put === '' ? Fragment.empty : Fragment.from(tr.doc.type.schema.text(put));
  tr.step(new ReplaceStep(start + head, start + old.length - tail, new Slice(content, 0, 0)));
}

/** Inserts a tag for a sound that is no word, with the time of its place, and with blanks around it. */
export const insertTag =
  (tag: NonSpeechTag, timeAt: (pos: number) => number | null): Command =>
  (state, dispatch) => {
    const { $from, $to } = state.selection;
    if ($from.depth === 0) return false;
    const before = $from.parent.textContent.slice(0, $from.parentOffset);
    const behind = $to.parent.textContent.slice($to.parentOffset);
    const text = `${/\S$/u.test(before) ? ' ' : ''}${writeTag(tag, timeAt($from.pos))}${/^[\p{L}\p{N}[]/u.test(behind) ? ' ' : ''}`;
    return insertParagraphs([{ text }])(state, dispatch);
  };
