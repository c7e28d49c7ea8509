import { aiVerdicts } from '#db/schema/ai.ts';
import { partChecker } from '#shared/ai/material.ts';
import { readVerdict, verdictShape } from '#shared/ai/verdicts.ts';
import { stands } from '#shared/ai/views.ts';
import { outcomes as texts } from '#shared/i18n/meetings/en/outcomes.ts';
import { typeOf } from '#shared/meetings/outcome-types.ts';
import { ownAbout, ownGradeName, ownName } from '#shared/meetings/own-types.ts';
import type { House } from '../context.ts';
import { JobFailed, type Job, type Kind } from '../jobs.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import { askInForm, askingKind, recordRead, withinContext } from './asking.ts';
import { materialOf, verdictPrompt, type Competency } from './context.ts';
import { beginRun, mostSeconds, openAmong, settleRun } from './runs.ts';

/** Most tokens of an answer. */
const mostAnswer = 1536;

/** Explains a grade; without words of the transcript there is none. */
export const verdictKind = (house: House): Kind =>
  askingKind(house, {
    seconds: mostSeconds.verdict,
    begin: (job) => beginRun(house, runsOf(job)),
    async answer(work) {
      const { run, assistant, language, signal } = work;
      const { layerId, outcomeType, meetingId, userId, model, createdAt } = run;
      const competency = outcomeType === null ? null : await competencyOf(house, outcomeType);
      if (layerId === null || outcomeType === null || !competency) throw new JobFailed('ended');
      const material = await materialOf(house, meetingId);
      if (material.lines.length === 0) throw new JobFailed('empty');
      const values = competency.grades.map(({ value }) => value);
      const { grade, why, parts, dropped, usage } = await withinContext(
        assistant,
        mostAnswer,
        async ({ room, most }) => {
          const prompt = verdictPrompt(material, { competency, language, room });
          await recordRead(house, run, prompt.lines.length, material.lines.length);
          const asked = await askInForm({
            ...{ assistant, prompt, most, schema: verdictShape(values), signal },
            read: (text) => readVerdict(text, values),
          });
          const checked = asked.answer.parts.map(partChecker(material, prompt.lines));
          const standing = asked.answer.grade === null ? [] : checked.filter(stands);
          const left = checked.length - standing.length;
          return { ...asked.answer, parts: standing, dropped: left, usage: asked.usage };
        },
      );
      return async (tx) => {
        const shown = grade !== null && parts.length > 0;
        if (shown) {
          const verdict = { grade, parts, why, model, createdAt, meetingId };
          await tx
            .insert(aiVerdicts)
            .values({ layerId, userId, type: outcomeType, ...verdict })
            .onConflictDoUpdate({ target: [aiVerdicts.layerId, aiVerdicts.userId, aiVerdicts.type], set: verdict });
        }
        const end = { state: 'done', enough: shown, found: parts.length, dropped, ...usage } as const;
        await settleRun(house, tx, run, { end, parts: parts.length, shown });
      };
    },
    open: (tx, job) => openAmong(tx, runsOf(job)),
    end: (tx, run, end) => settleRun(house, tx, run, { end, parts: 0, shown: false }),
  });

const runsOf = ({ meetingId, subject }: Job) => ({ kind: 'verdict' as const, meetingId, userId: subject });

const names: Readonly<Record<string, string>> = texts.types;
const abouts: Readonly<Record<string, string>> = texts.about;
const grades: Readonly<Record<string, string>> = texts.grades;

/** A type with its words; null where nobody knows it any more. */
async function competencyOf({ db }: House, id: string): Promise<Competency | null> {
  await learnTypes(db.orm, [id]);
  const type = typeOf(id);
  if (!type || type.grades.length === 0) return null;
  return {
    name: ownName(id) ?? names[id] ?? id,
    about: ownAbout(id) ?? abouts[id] ?? '',
    grades: type.grades.map(({ value, label }) => {
      const words = ownGradeName(id, value) ?? grades[label] ?? label;
      // Ours begin with their number already.
      return { value, words: words.replace(`${value}: `, '') };
    }),
  };
}
