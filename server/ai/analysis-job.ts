import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiAnalyses, aiRuns } from '#db/schema/ai.ts';
import { answerShape, type Answer } from '#shared/ai/answer.ts';
import { countWords } from '#shared/ai/drift.ts';
import { stands, type StoredPart } from '#shared/ai/views.ts';
import { transaction, type House } from '../context.ts';
import { JobFailed, type Kind } from '../jobs.ts';
import { appendRow } from '../sharing/change.ts';
import { askInForm, askingKind, bothUsages, recordRead, withinContext, type AskingWork, type Usage } from './asking.ts';
import {
  analysisPrompt,
  materialOf,
  notesPrompt,
  notesPrompts,
  partChecker,
  type Material,
  type Note,
  type Prompt,
} from './context.ts';
import { finalOf } from './job.ts';
import { openAmong, settleRun, tell, type Run } from './runs.ts';

/** Most tokens of an answer. */
const mostAnswer = 2048;
/** Tokens of a note with its quote, by experience on the large side, and most notes of one piece. */
const noteTokens = 120;
const mostNotes = 12;

export const analysisKind = (house: House): Kind =>
  askingKind(house, {
    seconds: 900,
    begin: ({ meetingId }) =>
      transaction(house, async (tx) => {
        const run = await openAmong(tx, { kind: 'analysis', meetingId });
        if (!run) return null;
        await tx.update(aiRuns).set({ state: 'running', read: null, lines: null }).where(eq(aiRuns.id, run.id));
        await tell(tx, { ...run, state: 'running' }, 0);
        return run;
      }),
    async answer(work) {
      const { run } = work;
      const material = await materialOf(house, run.meetingId);
      if (material.lines.length === 0) throw new JobFailed('empty');
      const { answer, usage } = await withinContext(work.assistant, mostAnswer, (tokens) =>
        analysed(house, work, { material, ...tokens }),
      );
      const parts = answer.parts.map(partChecker(material, material.lines)).filter(stands);
      const enough = answer.enough && parts.length > 0;
      return async (tx) => {
        if (enough) await store(house, tx, run, { material, parts });
        const end = { state: 'done', enough, ...usage } as const;
        await settleRun(house, tx, run, { end, parts: parts.length, shown: enough });
      };
    },
    open: (tx, { meetingId }) => openAmong(tx, { kind: 'analysis', meetingId }),
    end: (tx, run, end) => settleRun(house, tx, run, { end, parts: 0, shown: false }),
  });

/** Only what is proved is stored. The version of the document rises, as with its sharing, and its words stay as they are. */
async function store(
  house: House,
  tx: Orm,
  { meetingId, userId, model, host }: Run,
  { material, parts }: { material: Material; parts: StoredPart[] },
): Promise<void> {
  const words = countWords(material.lines.map(({ text }) => text));
  const fields = { parts, model, host, words, createdAt: house.clock.now() };
  await tx
    .insert(aiAnalyses)
    .values({ meetingId, ...fields })
    .onConflictDoUpdate({ target: aiAnalyses.meetingId, set: fields });
  await appendRow(house, tx, { meetingId, userId });
}

interface Asked {
  answer: Answer;
  usage: Usage;
}

/** Reads everything at once where it fits, else in pieces, of which the last step reads the notes. */
async function analysed(
  house: House,
  { run, assistant, language, signal }: AskingWork,
  { material, room, most }: { material: Material; room: number; most: number },
): Promise<Asked> {
  const { length } = material.lines;
  const ask = (prompt: Prompt): Promise<Asked> =>
    askInForm({ assistant, prompt, most, schema: answerShape, read: finalOf, signal });
  const whole = analysisPrompt(material, language);
  if (whole.tokens <= room) {
    await recordRead(house, run, length, length);
    return ask(whole);
  }
  const each = Math.max(1, Math.min(mostNotes, Math.floor(most / noteTokens)));
  const prompts = notesPrompts(material, { language, room, most: each });
  const notes: Note[][] = [];
  let usage: Usage = null;
  for (const prompt of prompts) {
    await recordRead(house, run, Math.max(0, (prompt.lines[0]?.nth ?? 1) - 1), length);
    await tell(house.db.orm, { ...run, state: 'running' }, notes.length);
    const asked = await ask(prompt);
    usage = bothUsages(usage, asked.usage);
    notes.push(checkedNotes(material, prompt, asked.answer));
  }
  await recordRead(house, run, length, length);
  const last = await ask(fitting(notes, room, (all) => notesPrompt(material, all, language)));
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
