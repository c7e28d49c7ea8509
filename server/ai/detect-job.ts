import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiSuggestions } from '#db/schema/ai.ts';
import { quoteLookup, type Material } from '#shared/ai/material.ts';
import { mostSuggestions, proposalShape, readProposals, type Proposed } from '#shared/ai/suggestions.ts';
import type { OutcomeModelId } from '#shared/account-choices.ts';
import { outcomes as texts } from '#shared/i18n/meetings/en/outcomes.ts';
import { newId } from '#shared/ids.ts';
import type { Anchored } from '#shared/meetings/anchors.ts';
import { readAnnotations } from '#shared/meetings/annotations.ts';
import { outcomeModels } from '#shared/meetings/outcome-types.ts';
import type { House } from '../context.ts';
import { JobFailed, type Job, type Kind } from '../jobs.ts';
import { askInForm, askingKind, bothUsages, recordRead, withinContext, type AskingWork, type Usage } from './asking.ts';
import { detectPrompts, materialOf } from './context.ts';
import { machineLayerOf } from './machine-layer.ts';
import { beginRun, mostSeconds, openAmong, settleRun, tell, type Run } from './runs.ts';

/** Most tokens of an answer, and of an outcome in it. */
const mostAnswer = 4096;
const outcomeTokens = 160;
/** Tokens of one piece, also where more fit: a model that reads much at once overlooks much. */
const mostRoom = 8000;
/** Suggestions of a recording or of a review, with those that were decided: each new one is compared with all of them. */
const mostKept = 1000;

type New = typeof aiSuggestions.$inferInsert;

export const detectKind = (house: House): Kind =>
  askingKind(house, {
    seconds: mostSeconds.detect,
    begin: (job) => beginRun(house, runsOf(job)),
    async answer(work) {
      const { run } = work;
      const material = await materialOf(house, run.meetingId);
      if (material.lines.length === 0) throw new JobFailed('empty');
      const { usage, found, proposed } = await withinContext(work.assistant, mostAnswer, (tokens) =>
        detected(house, work, { material, ...tokens }),
      );
      const placed = await anchoredNow(house, run, found);
      const dropped = proposed - placed.length;
      const into = await layerFor(house, run);
      // Others in a review would learn of what people marked, were it left out.
      const standing =
        into === null
          ? await house.documents.inRoom(
              run.meetingId,
              (room) => room.read((doc) => readAnnotations(doc, 'outcome', 'shared')),
              { part: 'outcomes', of: null },
            )
          : [];
      return async (tx) => {
        const shown = await store(tx, run, placed, { into, standing });
        const end = { state: 'done', enough: shown > 0, found: shown, dropped, ...usage } as const;
        await settleRun(house, tx, run, { end, parts: shown, shown: shown > 0 });
      };
    },
    open: (tx, job) => openAmong(tx, runsOf(job)),
    end: (tx, run, end) => settleRun(house, tx, run, { end, parts: 0, shown: false }),
  });

const runsOf = ({ meetingId, subject }: Job) => ({ kind: 'detect' as const, meetingId, userId: subject });

/** The machine's layer that the suggestions are for; null: the recording. */
async function layerFor(house: House, { meetingId, layerId, userId }: Run): Promise<string | null> {
  if (layerId === null) return null;
  const machine = await machineLayerOf(house, { meetingId, layerId, userId });
  if (machine === null) throw new JobFailed('ended');
  return machine;
}

interface Found extends Pick<Proposed, 'type' | 'others' | 'text' | 'reason'> {
  quote: string;
  start: number;
  end: number;
}

interface Detected {
  usage: Usage;
  found: Found[];
  /** How many the model gave. */
  proposed: number;
}

const named: Readonly<Record<string, string>> = texts.types;
const explained: Readonly<Record<string, string>> = texts.about;

/** Types that are looked for, each with its line for the model: all but the one for anything else. */
export const typeLines = (model: OutcomeModelId): { id: string; line: string }[] =>
  outcomeModels[model].types.flatMap(({ id, readOnly }) =>
    readOnly || id === 'notes' ? [] : [{ id, line: `- ${id}: ${named[id] ?? id}. ${explained[id] ?? ''}` }],
  );

/** Reads piece by piece, and keeps the outcomes whose words stand in their piece. */
async function detected(
  house: House,
  { run, assistant, language, signal }: AskingWork,
  { material, room, most }: { material: Material; room: number; most: number },
): Promise<Detected> {
  const types = typeLines(run.outcomeModel ?? 'meeting');
  const ids = types.map(({ id }) => id);
  const prompts = detectPrompts(material, {
    types: types.map(({ line }) => line),
    coach: run.coach,
    language,
    room: Math.min(room, mostRoom),
    most: Math.max(1, Math.floor(most / outcomeTokens)),
  });
  const { length } = material.lines;
  const found: Found[] = [];
  let usage: Usage = null;
  let proposed = 0;
  for (const prompt of prompts) {
    await recordRead(house, run, Math.max(0, (prompt.lines[0]?.nth ?? 1) - 1), length);
    await tell(house.db.orm, { ...run, state: 'running' }, found.length);
    const asked = await askInForm({
      ...{ assistant, prompt, most, schema: proposalShape(ids), signal },
      read: (text, end) => readProposals(text, ids, end === 'length'),
    });
    usage = bothUsages(usage, asked.usage);
    const { proposals, unread } = asked.answer;
    proposed += proposals.length + unread;
    const look = quoteLookup(material, prompt.lines);
    for (const { type, others, text, reason, line, quote } of proposals) {
      const said = look({ line, quote });
      if (!said || (run.coach !== null && said.speaker !== run.coach)) continue;
      const { text: words, start, end } = said.quote;
      const one = { type, others, text, reason, quote: words, start, end };
      // Two pieces share lines.
      if (found.some((other) => isSame(one, other))) proposed -= 1;
      else found.push(one);
    }
  }
  await recordRead(house, run, length, length);
  found.sort((one, other) => one.start - other.start);
  return { usage, found: found.slice(0, mostSuggestions), proposed };
}

interface Passage {
  type: string;
  start: number;
  end: number;
}

/** The same type in the same words: the two share over half of the shorter passage. */
function isSame(one: Passage, other: Passage & { choices?: readonly string[] }): boolean {
  if (one.type !== other.type && !other.choices?.includes(one.type)) return false;
  const both = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  return both >= 0 && both >= Math.min(one.end - one.start, other.end - other.start) / 2;
}

/** Hangs what was found on its characters; what has changed while the model read is left out. */
async function anchoredNow(
  { documents }: House,
  { meetingId }: Run,
  found: readonly Found[],
): Promise<(Found & Anchored)[]> {
  const places = found.map(({ start, end, quote }) => ({ start, end, quote, anchor: null }));
  const { answer } = await documents.answer(meetingId, null, 'standing', places);
  return found.flatMap((one, nth) => {
    const place = answer[nth];
    return place ? [{ ...one, ...place }] : [];
  });
}

/** Stores what is new: no outcome that stands, and nothing that was suggested before, above all nothing rejected. */
async function store(
  tx: Orm,
  { meetingId, model, createdAt }: Run,
  found: readonly (Found & Anchored)[],
  { into, standing }: { into: string | null; standing: readonly Passage[] },
): Promise<number> {
  const here = and(
    eq(aiSuggestions.meetingId, meetingId),
    into === null ? isNull(aiSuggestions.layerId) : eq(aiSuggestions.layerId, into),
  );
  const before = await tx.select().from(aiSuggestions).where(here);
  const fresh = found
    .filter((one) => ![...before, ...standing].some((other) => isSame(one, other)))
    .slice(0, Math.max(0, mostKept - before.length))
    .map(({ others, anchor, type, text, reason, quote, start, end }): New => ({
      ...{ id: newId(), meetingId, layerId: into, type, choices: others, text, reason, quote, start, end, anchor },
      ...{ model, createdAt },
    }));
  if (fresh.length > 0) await tx.insert(aiSuggestions).values(fresh);
  return fresh.length;
}
