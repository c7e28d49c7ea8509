// npm run bench -- asking [words] [--quick]: the keys of two people who correct the same text, while a third asks a model
// one question after another, beside the same without questions. The model is the stand-in of the tests, which streams as
// one does. Rounds alternate, and each pair gives a ratio.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { rules } from '#server/limits.ts';
import type { ChatView } from '#shared/ai/views.ts';
import { openAssistant } from '#tests/support/assistant.ts';
import type { Person } from '#tests/support/people.ts';
import { figures } from '../figures.ts';
import { at, type, untilEditable } from './page/measures.ts';
import { openStage, talk } from './page/stage.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const words = Number(positionals[0] ?? '30000');
const rounds = options.quick ? 1 : 5;
const texts = talk(words);
/** Milliseconds between two pieces of an answer, as of a model that writes fast. */
const pause = 10;
const said = texts[0] ?? '';

/** An answer of some length, whose quotes stand. */
const answer = JSON.stringify({
  parts: Array.from({ length: 12 }, () => ({
    text: 'They speak about what they want to work on today, and how the morning is used for it.',
    cites: [{ line: 1, quote: said.split(' ').slice(0, 8).join(' ') }],
  })),
  enough: true,
});

const model = await openAssistant('openai', { context: 16_000 });
model.mood.answer = () => answer;
model.mood.pause = pause;
const stage = await openStage({ AI_URL: model.url });

async function measure(): Promise<void> {
  const people = await stage.people('ann', 'ben', 'chen');
  const [ann, ben, chen] = people;
  if (!ann || !ben || !chen) throw new Error('nobody there');
  const id = await stage.recording(texts, people);
  const pages = await Promise.all(
    [ann, ben].map(async (person) => {
      const page = await stage.seat(person);
      await untilEditable(page, `/meeting/${id}`);
      return page;
    }),
  );
  const [mine, other] = pages;
  if (!mine || !other) throw new Error('no page');
  console.log(`${words.toLocaleString('en')} words, load ${loadavg()[0]?.toFixed(1)}`);
  const both = async (): Promise<number[]> => (await Promise.all([type(mine, 4), type(other, 7)])).flat();
  // A warm-up.
  await both();
  const without: number[] = [];
  const asked: number[] = [];
  const ratios = { median: [] as number[], high: [] as number[] };
  let answered = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const asking = async () => {
      const stop = new AbortController();
      const questions = askOn(chen, id, stop.signal);
      const times = await both();
      stop.abort();
      answered += await questions;
      return times;
    };
    // The order of the two changes from round to round.
    const first = round % 2 === 1 ? await both() : await asking();
    const second = round % 2 === 1 ? await asking() : await both();
    const [plain, loaded] = round % 2 === 1 ? [first, second] : [second, first];
    without.push(...plain);
    asked.push(...loaded);
    ratios.median.push(at(loaded, 0.5) / at(plain, 0.5));
    ratios.high.push(at(loaded, 0.95) / at(plain, 0.95));
    console.log(
      `${round}/${rounds}: ${ratios.median.at(-1)?.toFixed(2)} (median), ${ratios.high.at(-1)?.toFixed(2)} (95 %); load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  console.log(`key to paint of two people, nobody asks: ${figures(without).text}`);
  console.log(`key to paint of two people, one asks: ${figures(asked).text}; ${answered} questions answered`);
  console.log(
    `one asks, beside nobody asks, medians of the ratios: ${at(ratios.median, 0.5).toFixed(2)} (median), ${at(ratios.high, 0.5).toFixed(2)} (95 %)`,
  );
}

/** Asks one question after the other, and waits for the last answer; returns how many were answered. */
async function askOn(person: Person, id: string, signal: AbortSignal): Promise<number> {
  const call = `/api/meetings/${id}/chat`;
  let answered = 0;
  for (; !signal.aborted; answered += 1) {
    // More than one person may ask in an hour.
    await stage.limits.clear(rules.questions, person.id);
    const { status, text } = await person.post(call, { content: 'What do they want to work on?' });
    if (status >= 300) throw new Error(`asking failed: ${text}`);
    for (let state = 'waiting'; state !== 'done';) {
      await sleep(250);
      const { messages } = (await person.get(call)).body as ChatView;
      state = messages.at(-1)?.run?.state ?? state;
      if (state === 'failed' || state === 'stopped') throw new Error(`a question ${state}`);
    }
  }
  return answered;
}

try {
  await measure();
} finally {
  await stage.close();
  await model.close();
}
