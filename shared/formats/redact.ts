import type { Word } from '../meetings/words.ts';
import type { Said, SaidList } from './said.ts';
import type { SpokenDocument, SpokenTurn } from './spoken.ts';

// Curly braces mark what is about somebody's person: as TranscribeMe delivers it, and as anybody may type it.

const instead = '[redacted]';

interface Stretch {
  from: number;
  to: number;
}

/** From a brace to the one that closes it; where none does, to the end. */
function hiddenIn(text: string): Stretch[] {
  const found: Stretch[] = [];
  let open = -1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') {
      if (depth === 0) open = at;
      depth += 1;
    } else if (text[at] === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push({ from: open, to: at + 1 });
    }
  }
  return depth > 0 ? [...found, { from: open, to: text.length }] : found;
}

export const mayHide = (text: string): boolean => text.includes('{');

function without(text: string, hidden: readonly Stretch[]): string {
  let at = 0;
  const kept = hidden.map(({ from, to }) => {
    const before = text.slice(at, from);
    at = to;
    return before + instead;
  });
  return kept.join('') + text.slice(at);
}

export const redactText = (text: string): string => (mayHide(text) ? without(text, hiddenIn(text)) : text);

/** Whole words go: half of one would tell the rest. */
function widened(hidden: readonly Stretch[], words: readonly Word[]): Stretch[] {
  const wide: Stretch[] = [];
  for (const { from, to } of hidden) {
    const touched = words.filter((word) => word.at < to && word.at + word.text.length > from);
    const [first, last] = [touched[0], touched.at(-1)];
    const next = {
      from: Math.min(from, first?.at ?? from),
      to: Math.max(to, last ? last.at + last.text.length : to),
    };
    const before = wide.at(-1);
    if (before && next.from <= before.to) before.to = Math.max(before.to, next.to);
    else wide.push(next);
  }
  return wide;
}

function turnWithout(turn: SpokenTurn): SpokenTurn {
  const { text, words } = turn.segment;
  if (!mayHide(text)) return turn;
  const hidden = widened(hiddenIn(text), words);
  const kept: Word[] = [];
  let next = 0;
  let shift = 0;
  const put = ({ from, to }: Stretch) => {
    const gone = words.filter(({ at }) => at >= from && at < to);
    const [first, last] = [gone[0], gone.at(-1)];
    if (first && last)
      kept.push({ ...first, at: from + shift, text: instead, to: last.to, flags: 0, confidence: null, source: null });
    shift += instead.length - (to - from);
    next += 1;
  };
  for (const word of words) {
    for (let one = hidden[next]; one && one.to <= word.at; one = hidden[next]) put(one);
    const one = hidden[next];
    if (!one || word.at < one.from) kept.push({ ...word, at: word.at + shift });
  }
  for (let one = hidden[next]; one; one = hidden[next]) put(one);
  const segment = { text: without(text, hidden), words: kept };
  return { ...turn, text: redactText(turn.text), name: redactText(turn.name), segment };
}

export function redact(document: SpokenDocument): SpokenDocument {
  return {
    ...document,
    title: redactText(document.title),
    tags: document.tags.map(redactText),
    speakers: document.speakers.map((one) => ({ ...one, name: redactText(one.name) })),
    voices: document.voices.map(redactText),
    turns: document.turns.map(turnWithout),
  };
}

/** A quotation may be a part of what is in braces, so none is left. */
export const redactLists = (lists: readonly SaidList[]): SaidList[] =>
  lists.map((list) => ({
    ...list,
    lines: list.lines.map((line) => ({
      ...line,
      text: redactText(line.text),
      quote: '',
      answers: line.answers.map((answer) => ({ ...answer, text: redactText(answer.text) })),
    })),
  }));

export const redactItems = (said: Said): Said => ({
  ...said,
  ...(said.outcomes && { outcomes: said.outcomes.map((one) => ({ ...one, quote: '' })) }),
  ...(said.comments && { comments: said.comments.map((one) => ({ ...one, quote: '' })) }),
});
