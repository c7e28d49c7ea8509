import type { Orm } from '#db/open.ts';
import { aiAnalyses } from '#db/schema/ai.ts';
import { partChecker, type Material } from '#shared/ai/material.ts';
import { countWords } from '#shared/ai/drift.ts';
import { stands, type StoredPart } from '#shared/ai/views.ts';
import type { House } from '../context.ts';
import { JobFailed, type Kind } from '../jobs.ts';
import { appendRow } from '../sharing/change.ts';
import { askingKind } from './asking.ts';
import { materialOf } from './context.ts';
import { beginRun, mostSeconds, openAmong, settleRun, type Run } from './runs.ts';
import { readWhole } from './whole.ts';

export const analysisKind = (house: House): Kind =>
  askingKind(house, {
    seconds: mostSeconds.analysis,
    begin: ({ meetingId }) => beginRun(house, { kind: 'analysis', meetingId }),
    async answer(work) {
      const { run } = work;
      const material = await materialOf(house, run.meetingId);
      if (material.lines.length === 0) throw new JobFailed('empty');
      const { answer, usage } = await readWhole(house, work, { about: 'analysis', material });
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
