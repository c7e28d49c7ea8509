import { eq } from 'drizzle-orm';
import type * as Y from 'yjs';
import type { AccessById } from '#db/access.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { ExportInput } from '#shared/export.ts';
import { docxParts } from '#shared/formats/docx.ts';
import { chosenOf, contentTypes, fileName, type Chosen } from '#shared/formats/formats.ts';
import type { Page } from '#shared/formats/page.ts';
import { redactText } from '#shared/formats/redact.ts';
import type { Said } from '#shared/formats/said.ts';
import { spokenDocument } from '#shared/formats/spoken.ts';
import { writeTranscript } from '#shared/formats/write.ts';
import { placesOf } from '#shared/meetings/anchors.ts';
import { readTimed } from '#shared/meetings/entries.ts';
import { quoteNow, type Quoted } from '#shared/meetings/quoted.ts';
import { readWords } from '#shared/meetings/words.ts';
import { annotationsIn, annotationsMark } from '../annotations/read.ts';
import { peopleBy } from '../people/names.ts';
import { summaryFor } from '../annotations/summary.ts';
import type { Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { accessById } from '../rooms/access.ts';
import { lengthOf, mediaOf } from '../media/media.ts';
import { printedWords, saidWords } from '../annotations/said-words.ts';
import { zip } from './zip.ts';

interface ExportedFile {
  name: string;
  type: string;
  bytes: Buffer;
}

/**
 * Exports the stored transcript as a file in the format of another service; by a layer's id, with the annotations of that
 * layer in the place of the recording's own.
 */
export async function exportMeeting(
  ctx: Ctx,
  { id, format, options }: ExportInput & { id: string },
): Promise<ExportedFile> {
  const place = await accessById(ctx, 'POST /api/export/:id', id);
  await ctx.limits.take(rules.export, ctx.person?.id ?? ctx.address);
  return exportFile(ctx, place, format, options);
}

type Place = Pick<AccessById, 'meetingId' | 'layerId'>;

/** The file, for a caller who may read the recording or the layer. */
export async function exportFile(
  ctx: Ctx,
  place: Place,
  format: ExportInput['format'],
  options: ExportInput['options'],
): Promise<ExportedFile> {
  const id = place.meetingId;
  const chosen = chosenOf(format, options);
  const [[meeting], media, stored] = await Promise.all([
    ctx.db.orm.select({ at: meetings.createdAt }).from(meetings).where(eq(meetings.id, id)),
    mediaOf(ctx, id),
    saidAbout(ctx, place, chosen),
  ]);
  const date = meeting?.at.toISOString();
  const mediaMs = lengthOf(media);
  const { document, said } = await ctx.documents.read(id, (doc, { generation }) => ({
    document: spokenDocument(doc, { date, mediaMs }),
    said: stored && { ...stored, quotes: quotesNow(doc, generation, stored) },
  }));
  const { language } = ctx;
  const page = writeTranscript(format, document, chosen, said, printedWords[language]);
  const bytes = await (page.kind === 'pdf' ? ctx.pdfs.write(page, ctx.person?.id ?? ctx.address) : packed(page));
  const title = chosen.redacted ? redactText(document.title) : document.title;
  return { name: fileName(title, chosen.fileType), type: contentTypes[chosen.fileType], bytes };
}

/** Passages of annotations in the words there are now. */
function quotesNow(doc: Y.Doc, generation: number, { outcomes = [], comments = [] }: Said): Map<string, Quoted> {
  const items = [...outcomes, ...comments];
  const reading = readWords(doc);
  const places = placesOf(doc, reading, generation, items);
  return new Map(items.map((item, nth) => [item.id, quoteNow(() => reading, item, places[nth])]));
}

/** Annotations for the export, limited to what the caller can read. */
async function saidAbout(ctx: Ctx, place: Place, wanted: Chosen): Promise<Said | undefined> {
  if (!wanted.summary && !wanted.contents && !wanted.outcomes && !wanted.comments) return undefined;
  const [{ outcomes, comments, grades }, summary, contents] = await Promise.all([
    annotationsMark(ctx, place).then((said) => annotationsIn(ctx, place, said)),
    // The caller's own summary is kept with the recording.
    wanted.summary ? summaryFor(ctx, place.meetingId, { withPrivate: wanted.private && place.layerId === null }) : null,
    wanted.contents ? ctx.documents.read(place.meetingId, (doc) => readTimed(doc, 'toc')) : null,
  ]);
  const sheet = wanted.outcomes && place.layerId !== null ? grades : null;
  const graders =
    sheet &&
    (await peopleBy(
      ctx,
      sheet.map(({ by }) => by),
    ));
  const forFile = <One extends { private: boolean }>(items: readonly One[]) =>
    wanted.private ? items : items.filter((one) => !one.private);
  return {
    ...(summary && { summary }),
    ...(contents && { contents }),
    ...(sheet && graders && { grades: sheet, graders: new Map(graders.map(({ id, name }) => [id, name])) }),
    ...(wanted.outcomes && { outcomes: forFile(outcomes) }),
    ...(wanted.comments && { comments: forFile(comments) }),
    words: saidWords[ctx.language],
    origin: ctx.origin(),
  };
}

export const packed = (page: Exclude<Page, { kind: 'pdf' }>): Promise<Buffer> | Buffer =>
  page.kind === 'text' ? Buffer.from(page.text) : zip(docxParts(page));
