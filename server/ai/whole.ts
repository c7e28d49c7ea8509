import { partChecker, type Material } from '#shared/ai/material.ts';
import { answerShape, type Answer } from '#shared/ai/answer.ts';
import { stands } from '#shared/ai/views.ts';
import type { House } from '../context.ts';
import { askInForm, bothUsages, recordRead, withinContext, type AskingWork, type Usage } from './asking.ts';
import { notesPrompt, notesPrompts, wholePrompt, type Note, type Prompt, type Whole } from './context.ts';
import { finalOf } from './job.ts';
import { tell } from './runs.ts';

// Work that reads all of a recording: at once where it fits, else in pieces, of which the last step reads the notes.

/** Most tokens of an answer. */
const mostAnswer = 2048;
/** Tokens of a note with its quote, by experience on the large side, and most notes of one piece. */
const noteTokens = 120;
const mostNotes = 12;

interface Asked {
  answer: Answer;
  usage: Usage;
}

interface Read {
  about: Whole;
  material: Material;
}

export const readWhole = (house: House, work: AskingWork, given: Read): Promise<Asked> =>
  withinContext(work.assistant, mostAnswer, (tokens) => readWithin(house, work, { ...given, ...tokens }));

async function readWithin(
  house: House,
  { run, assistant, language, signal }: AskingWork,
  { about, material, room, most }: Read & { room: number; most: number },
): Promise<Asked> {
  const { length } = material.lines;
  const ask = (prompt: Prompt): Promise<Asked> =>
    askInForm({ assistant, prompt, most, schema: answerShape, read: finalOf, signal });
  const whole = wholePrompt(material, { about, language });
  if (whole.tokens <= room) {
    await recordRead(house, run, length, length);
    return ask(whole);
  }
  const each = Math.max(1, Math.min(mostNotes, Math.floor(most / noteTokens)));
  const prompts = notesPrompts(material, { about, language, room, most: each });
  const notes: Note[][] = [];
  let usage: Usage = null;
  for (const prompt of prompts) {
    await recordRead(house, run, Math.max(0, (prompt.lines[0]?.nth ?? 1) - 1), length);
    await tell(house.db.orm, { ...run, state: 'running' }, notes.length);
    const asked = await ask(prompt);
    usage = bothUsages(usage, asked.usage);
    notes.push(checkedNotes(material, prompt, asked.answer));
  }
  const last = await ask(fitting(notes, room, (all) => notesPrompt(material, all, { about, language })));
  // Only now, so that the percentage does not fall while the notes are read.
  await recordRead(house, run, length, length);
  return { answer: last.answer, usage: bothUsages(usage, last.usage) };
}

/** Notes whose quotes stand in their piece; others would lead the last step astray. */
function checkedNotes(material: Material, prompt: Prompt, { parts }: Answer): Note[] {
  const check = partChecker(material, prompt.lines);
  return parts.flatMap(({ text, cites }) => {
    const proved = cites.filter((cite) => stands(check({ text, cites: [cite] })));
    return proved.length > 0 ? [{ text, cites: proved.slice(0, 1) }] : [];
  });
}

/** The same number of notes of each piece, as many as fit. */
function fitting(notes: readonly Note[][], room: number, promptWith: (all: Note[]) => Prompt): Prompt {
  for (let each = mostNotes; ; each -= 1) {
    const prompt = promptWith(notes.flatMap((ofPiece) => ofPiece.slice(0, each)));
    if (prompt.tokens <= room || each === 1) return prompt;
  }
}
