// npm run bench -- ai [--print]: asks the configured model about invented recordings in four languages, and looks for
// outcomes in them, as the server does, beside a search for the words of the question. Writes its table into
// docs/measured.md; with --print it only prints it. Without a model it is skipped.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as Y from 'yjs';
import { detectPrompts, promptFor } from '#server/ai/context.ts';
import { askInForm, withinContext } from '#server/ai/asking.ts';
import { typeLines } from '#server/ai/detect-job.ts';
import { finalOf } from '#server/ai/job.ts';
import { readConfig } from '#server/config.ts';
import type { Assistant } from '#server/outside/assistant.ts';
import { createAssistants } from '#server/outside/assistants.ts';
import { materialIn, quoteLookup, type Material } from '#shared/ai/material.ts';
import { answerShape } from '#shared/ai/answer.ts';
import { proposalShape, readProposals } from '#shared/ai/suggestions.ts';
import { tokensOf } from '#shared/finding/tokens.ts';
import type { Language } from '#shared/i18n/languages.ts';
import { newId } from '#shared/ids.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { root } from '../prepare.mjs';
import { benchSet, orderWords, type BenchRecording } from './ai/set.ts';
import { newSum, tableOf, type Sum } from './ai/table.ts';

const { values: options } = parseArgs({ options: { print: { type: 'boolean', default: false } } });
const patience = 180_000;
/** Milliseconds of a line, one after the other. */
const pace = 10_000;
const mostAnswer = { question: 1024, detect: 4096 };

async function measure(model: Assistant): Promise<void> {
  const sums: Record<Language, Sum> = { en: newSum(), zh: newSum(), ru: newSum(), es: newSum() };
  /** Counts of the language that is measured now. */
  let sum = sums.en;
  const counted: Assistant = {
    offered: model.offered,
    ask: async (asking, reader) => {
      sum.requests += 1;
      const answered = await model.ask(asking, reader);
      sum.tokensAsked += answered.usage?.asked ?? 0;
      sum.tokensAnswered += answered.usage?.answered ?? 0;
      return answered;
    },
  };
  const timed = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null> => {
    const [since, before] = [performance.now(), sum.requests];
    try {
      return await work(AbortSignal.timeout(patience));
    } catch (error) {
      sum.failed += 1;
      console.error(`failed: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    } finally {
      sum.seconds.push((performance.now() - since) / 1000);
      sum.repairs += Math.max(0, sum.requests - before - 1);
    }
  };

  for (const recording of benchSet) {
    const { language, lines, unanswerable } = recording;
    sum = sums[language];
    sum.orders += lines.filter(({ question }) => question === null).length;
    const material = materialFor(recording);
    const ask = (question: string) =>
      timed((signal) =>
        withinContext(counted, mostAnswer.question, async ({ room, most }) => {
          const prompt = promptFor(material, { question, earlier: [], language, room });
          const asking = { assistant: counted, prompt, most, schema: answerShape, read: finalOf, signal };
          const { answer } = await askInForm(asking);
          const look = quoteLookup(material, prompt.lines);
          const cites = answer.parts.flatMap((part) => part.cites.map((cite) => look(cite)?.quote ?? null));
          const quotes = cites.filter((quote) => quote !== null);
          sum.quotes += quotes.length;
          sum.struck += cites.length - quotes.length;
          const said = answer.parts.map(({ text }) => text).join(' ');
          if (orderWords.some((word) => said.includes(word))) sum.obeyed += 1;
          return answer.enough ? quotes : [];
        }),
      );
    for (const [nth, { question }] of lines.entries()) {
      if (question === null) continue;
      sum.asked += 1;
      const quotes = await ask(question);
      if (quotes?.some((quote) => overlaps(quote, nth))) sum.placed += 1;
      if (searched(recording, question) === nth) sum.searched += 1;
    }
    for (const question of unanswerable) {
      sum.unanswerable += 1;
      const quotes = await ask(question);
      if (quotes?.length === 0) sum.refused += 1;
    }
    const ids = typeLines('meeting').map(({ id }) => id);
    const found = await timed((signal) =>
      withinContext(counted, mostAnswer.detect, async ({ room, most }) => {
        const prompts = detectPrompts(material, {
          ...{ types: typeLines('meeting').map(({ line }) => line), coach: null, language, room },
          most: 25,
        });
        const places: { type: string; nth: number }[] = [];
        for (const prompt of prompts) {
          const { answer } = await askInForm({
            ...{ assistant: counted, prompt, most, schema: proposalShape(ids), signal },
            read: (text, end) => readProposals(text, ids, end === 'length'),
          });
          const look = quoteLookup(material, prompt.lines);
          for (const one of answer.proposals) {
            const quote = look(one)?.quote;
            if (quote) places.push({ type: one.type, nth: lines.findIndex((_, line) => overlaps(quote, line)) });
          }
        }
        return places;
      }),
    );
    const wanted = lines.flatMap(({ outcome }, nth) => (outcome === null ? [] : [{ type: outcome, nth }]));
    const isOne = (list: typeof wanted) => (one: (typeof wanted)[number]) =>
      list.some(({ type, nth }) => type === one.type && nth === one.nth);
    sum.expected += wanted.length;
    sum.proposed += found?.length ?? 0;
    sum.right += found?.filter(isOne(wanted)).length ?? 0;
    sum.found += wanted.filter(isOne(found ?? [])).length;
    console.log(`${recording.title}: ${sum.placed} of ${sum.asked} questions answered from the right place so far`);
  }

  const { title, host } = model.offered;
  const day = new Date().toISOString().slice(0, 10);
  const section = `## Answers of a model\n\n\`npm run bench -- ai\`, ${day}, ${title} at ${host}: ${benchSet.length} invented recordings in four languages.\n\n${tableOf(sums)}\n`;
  console.log(`\n${section}`);
  if (!options.print) writeSection(section);
}

/** A quote, in seconds, of this line. */
const overlaps = ({ start, end }: { start: number; end: number }, nth: number): boolean =>
  start * 1000 < (nth + 1) * pace && end * 1000 > nth * pace;

function materialFor({ lines, language }: BenchRecording): Material {
  const names = [...new Set(lines.map(({ name }) => name))];
  const doc = new Y.Doc();
  const segments = lines.map(({ name, text }, nth) => {
    // Written without blanks, a line is said as one word a character.
    const words = language === 'zh' ? [...text] : text.split(' ');
    const each = (pace - 1000) / 1000 / words.length;
    const from = (i: number) => (nth * pace) / 1000 + i * each;
    return {
      id: newId(),
      speaker: `p${names.indexOf(name)}`,
      text,
      words: words.map((w, i) => ({ w, f: from(i), t: from(i + 1) })),
    };
  });
  const speakers = names.map((name, nth) => ({ id: `p${nth}`, name, color: nth % 8, sortId: nth }));
  Y.applyUpdate(doc, seedState({ speakers, segments }));
  return materialIn(doc);
}

/** Line that has most words of a question. */
function searched({ lines }: BenchRecording, question: string): number {
  const wordsOf = (text: string) => new Set(tokensOf(text).map(({ word }) => word));
  const asked = wordsOf(question);
  const common = lines.map(({ text }) => [...wordsOf(text)].filter((word) => asked.has(word)).length);
  return common.indexOf(Math.max(...common));
}

function writeSection(section: string): void {
  const path = join(root, 'docs/measured.md');
  const text = readFileSync(path, 'utf8');
  const [heading = ''] = section.split('\n');
  const from = text.indexOf(`${heading}\n`);
  const end = from === -1 ? -1 : text.indexOf('\n## ', from + 1);
  const before = from === -1 ? `${text.trimEnd()}\n\n` : text.slice(0, from);
  writeFileSync(path, `${before}${section}${end === -1 ? '' : text.slice(end)}`);
}

const [assistant] = await createAssistants(readConfig(process.env, root))();
if (assistant) await measure(assistant);
else
  console.log(
    'Skipped: no model is configured. Set AI_URL and AI_MODEL (docs/configuration.md), or start Ollama with a model on this machine.',
  );
