import { aiAnalyses, aiSuggestions } from '#db/schema/ai.ts';
import { partChecker, quoteLookup } from '#shared/ai/material.ts';
import { countWords } from '#shared/ai/drift.ts';
import { stands, writtenByHand } from '#shared/ai/views.ts';
import { newId } from '#shared/ids.ts';
import { materialOf } from '../ai/context.ts';
import { transaction, type House } from '../context.ts';

// An analysis of the demo recording and suggested outcomes, so that their way is seen without a language model. They are
// written by hand and marked so, and their quotes are looked up as those of a model.

const points = [
  {
    text: 'The client puts off a talk with the manager: two projects cannot both be finished in time.',
    cites: [{ line: 12, quote: 'I cannot finish both projects by the end' }],
  },
  {
    text: 'A first step was decided: a talk on Thursday, after the team meeting.',
    cites: [
      { line: 23, quote: 'On Thursday, after the team meeting' },
      { line: 29, quote: 'I will ask for Thursday at eleven' },
    ],
  },
  {
    text: 'What the group noticed is left open.',
    cites: [{ line: 30, quote: 'which question changed the conversation' }],
  },
];

const suggestions = [
  {
    ...{ type: 'agreement', choices: ['presence'], line: 5, quote: 'what would you like to work on today' },
    text: 'The coach asks what the session is for.',
    reason: 'An open question about the purpose, before anything else.',
  },
  {
    ...{ type: 'listening', choices: ['presence', 'awareness'], line: 11, quote: 'Let us stay with that for a moment' },
    text: 'The coach takes up the words of the client.',
    reason: 'Repeats “She would rather know”, and stays with it.',
  },
  {
    ...{ type: 'awareness', choices: [], line: 15, quote: 'What makes it a six and not a three' },
    text: 'The coach asks for strengths on a scale.',
    reason: 'The question looks at what is there, not at what is missing.',
  },
  {
    ...{ type: 'trust', choices: ['listening'], line: 19, quote: 'Thank you for saying it out loud' },
    text: 'The coach honours what was hard to say.',
    reason: 'Thanks for it, and does not judge it.',
  },
  {
    ...{ type: 'growth', choices: ['agreement'], line: 22, quote: 'let us find a first step' },
    text: 'The coach turns to action.',
    reason: 'Asks for a first step and its time.',
  },
];

type Material = Awaited<ReturnType<typeof materialOf>>;

/** The suggestions as rows of a recording, or of the machine's layer of a review. */
function rowsOf({ clock }: Pick<House, 'clock'>, meetingId: string, material: Material, layerId: string | null) {
  const createdAt = clock.now();
  const look = quoteLookup(material, material.lines);
  return suggestions.flatMap(({ line, quote, ...one }) => {
    const said = look({ line, quote });
    if (!said) return [];
    const { text, start, end } = said.quote;
    return [{ ...one, id: newId(), meetingId, layerId, quote: text, start, end, model: writtenByHand, createdAt }];
  });
}

/** Adds suggestions to a review of the demo recording, in its machine's layer. */
export async function suggestInReview(house: House, meetingId: string, layerId: string): Promise<void> {
  const material = await materialOf(house, meetingId);
  await house.db.orm.insert(aiSuggestions).values(rowsOf(house, meetingId, material, layerId));
}

/** Adds both to a new demo recording. */
export async function suggestInTalk(house: House, meetingId: string): Promise<void> {
  const material = await materialOf(house, meetingId);
  const createdAt = house.clock.now();
  const parts = points.map(partChecker(material, material.lines)).filter(stands);
  const rows = rowsOf(house, meetingId, material, null);
  const words = countWords(material.lines.map(({ text }) => text));
  await transaction(house, async (tx) => {
    await tx.insert(aiAnalyses).values({ meetingId, parts, model: writtenByHand, host: '', words, createdAt });
    await tx.insert(aiSuggestions).values(rows);
  });
}
