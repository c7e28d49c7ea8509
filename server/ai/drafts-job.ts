import { and, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiDrafts } from '#db/schema/ai.ts';
import { partChecker } from '#shared/ai/material.ts';
import type { DraftKind } from '#shared/ai/drafts.ts';
import { stands, type StoredPart } from '#shared/ai/views.ts';
import { newId } from '#shared/ids.ts';
import { contentsLead, longestEntryTitle, readTimed } from '#shared/meetings/entries.ts';
import { fold } from '#shared/meetings/search.ts';
import { wellFormed } from '#shared/meetings/transcript.ts';
import type { House } from '../context.ts';
import { JobFailed, type Job, type Kind } from '../jobs.ts';
import { askingKind } from './asking.ts';
import { materialOf } from './context.ts';
import { beginRun, mostSeconds, openAmong, settleRun, type Run } from './runs.ts';
import { readWhole } from './whole.ts';

/** Two chapters do not begin within so many seconds. */
const chapterApart = 10;

/** Drafts points or chapters; what does not stand in the transcript is left out and counted. */
export const draftKind = (house: House, kind: DraftKind): Kind =>
  askingKind(house, {
    seconds: mostSeconds[kind],
    begin: (job) => beginRun(house, runsOf(kind, job)),
    async answer(work) {
      const { run } = work;
      const material = await materialOf(house, run.meetingId);
      if (material.lines.length === 0) throw new JobFailed('empty');
      const { answer, usage } = await readWhole(house, work, { about: kind, material });
      const checked = answer.parts.map(partChecker(material, material.lines));
      const standing = checked.filter(stands);
      const dropped = checked.length - standing.length;
      const chapters = kind === 'chapters' ? await chapterStarts(house, run) : [];
      return async (tx) => {
        const found = await store(tx, { run, kind, standing, chapters });
        const end = { state: 'done', enough: found > 0, found, dropped, ...usage } as const;
        await settleRun(house, tx, run, { end, parts: found, shown: found > 0 });
      };
    },
    open: (tx, job) => openAmong(tx, runsOf(kind, job)),
    end: (tx, run, end) => settleRun(house, tx, run, { end, parts: 0, shown: false }),
  });

const runsOf = (kind: DraftKind, { meetingId, subject }: Job) => ({ kind, meetingId, userId: subject });

/** Seconds at which the words of the chapters begin that the recording has. */
const chapterStarts = ({ documents }: House, { meetingId }: Run): Promise<number[]> =>
  documents.read(meetingId, (doc) => readTimed(doc, 'toc').map(({ start }) => start + contentsLead / 1000));

interface New {
  run: Run;
  kind: DraftKind;
  standing: readonly StoredPart[];
  chapters: readonly number[];
}

const startOf = ({ quotes }: Pick<StoredPart, 'quotes'>): number => quotes[0]?.start ?? 0;
const plain = (text: string): string => fold(text, false).text.replaceAll(/\s+/gu, ' ').trim();

/** Takes the place of what waited for a decision; what the person decided on is not drafted again. */
async function store(tx: Orm, { run, kind, standing, chapters }: New): Promise<number> {
  const { meetingId, userId, model, createdAt } = run;
  const mine = and(eq(aiDrafts.meetingId, meetingId), eq(aiDrafts.userId, userId), eq(aiDrafts.kind, kind));
  await tx.delete(aiDrafts).where(and(mine, eq(aiDrafts.state, 'open')));
  const decided = await tx.select().from(aiDrafts).where(mine);
  const texts = new Set(decided.map(({ text }) => plain(text)));
  const starts = kind === 'chapters' ? [...chapters, ...decided.map(startOf)] : [];
  const parts = kind === 'chapters' ? standing.toSorted((one, other) => startOf(one) - startOf(other)) : standing;
  const fresh = parts.filter((part) => {
    if (texts.has(plain(part.text))) return false;
    const start = startOf(part);
    if (kind === 'chapters' && starts.some((other) => Math.abs(other - start) < chapterApart)) return false;
    texts.add(plain(part.text));
    if (kind === 'chapters') starts.push(start);
    return true;
  });
  const rows = fresh.map(({ text, quotes, struck }, nth) => ({
    ...{ id: newId(), meetingId, userId, kind, nth, quotes, struck, model, createdAt },
    text: kind === 'chapters' ? wellFormed(text.slice(0, longestEntryTitle)) : text,
  }));
  if (rows.length > 0) await tx.insert(aiDrafts).values(rows);
  return rows.length;
}
