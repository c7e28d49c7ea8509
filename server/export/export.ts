import { eq } from 'drizzle-orm';
import type { AccessById } from '#db/access.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { ExportInput } from '#shared/export.ts';
import { docxParts } from '#shared/formats/docx.ts';
import { chosenOf, contentTypes, fileName, type Chosen } from '#shared/formats/formats.ts';
import type { Page } from '#shared/formats/page.ts';
import { redactText } from '#shared/formats/redact.ts';
import type { Said, SaidWords } from '#shared/formats/said.ts';
import { printable } from '#shared/formats/spoken.ts';
import type { Annotation } from '#shared/meetings/annotations.ts';
import { ownName } from '#shared/meetings/own-types.ts';
import { annotationsIn, annotationsMark } from '../annotations/read.ts';
import { peopleBy } from '../people/names.ts';
import { summaryFor } from '../annotations/summary.ts';
import type { Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { authorNames } from '../reviews/author-names.ts';
import { accessById } from '../rooms/access.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import type { Written, WrittenParts } from '../rooms/whole-readings.ts';
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
  const [[meeting], media, said] = await Promise.all([
    ctx.db.orm.select({ at: meetings.createdAt }).from(meetings).where(eq(meetings.id, id)),
    mediaOf(ctx, id),
    saidAbout(ctx, place, chosen),
  ]);
  const date = meeting?.at.toISOString();
  const mediaMs = lengthOf(media);
  const words = printedWords[ctx.language];
  const written = { format, chosen, date, mediaMs, said, words };
  const { answer } = await ctx.documents.answer(id, askerOf(ctx), 'exported', written);
  const bytes = await bytesOf(ctx, answer);
  const title = chosen.redacted ? redactText(answer.title) : answer.title;
  return { name: fileName(title, chosen.fileType), type: contentTypes[chosen.fileType], bytes };
}

function bytesOf(ctx: Ctx, written: Written): Promise<Buffer> | Buffer {
  if (written.kind === 'docx') return zip(partsOf(written));
  return written.kind === 'pdf'
    ? ctx.pdfs.write(written.bytes, ctx.person?.id ?? ctx.address)
    : Buffer.from(written.bytes.buffer);
}

function* partsOf({ bytes, parts }: WrittenParts): Generator<readonly [name: string, content: Uint8Array]> {
  let at = 0;
  for (const { name, length } of parts) {
    yield [name, bytes.subarray(at, at + length)];
    at += length;
  }
}

/** Annotations for the export, limited to what the caller can read; its chapters are read with the transcript. */
async function saidAbout(ctx: Ctx, place: Place, wanted: Chosen): Promise<Said | undefined> {
  if (!wanted.summary && !wanted.contents && !wanted.outcomes && !wanted.comments) return undefined;
  const [{ outcomes, comments, grades }, summary] = await Promise.all([
    annotationsMark(ctx, place).then((said) => annotationsIn(ctx, place, said)),
    // The caller's own summary is kept with the recording.
    wanted.summary ? summaryFor(ctx, place.meetingId, { withPrivate: wanted.private && place.layerId === null }) : null,
  ]);
  const sheet = wanted.outcomes && place.layerId !== null ? grades : null;
  const graders =
    sheet &&
    (await peopleBy(
      ctx,
      sheet.map(({ by }) => by),
    ));
  const names = await authorNames(ctx, place.layerId);
  const named = <One extends Annotation>(item: One): One =>
    item.author.kind === 'reviewer'
      ? { ...item, author: { ...item.author, name: names.get(item.author.id) ?? '' } }
      : item;
  const forFile = <One extends { private: boolean }>(items: readonly One[]) =>
    wanted.private ? items : items.filter((one) => !one.private);
  return {
    ...(summary && { summary }),
    ...(sheet &&
      graders && {
        grades: sheet,
        graders: new Map([...graders.map(({ id, name }) => [id, name] as const), ...names]),
      }),
    ...(wanted.outcomes && { outcomes: forFile(outcomes).map(named) }),
    ...(wanted.comments && { comments: forFile(comments).map(named) }),
    words: withOwnNames(saidWords[ctx.language], [
      ...outcomes.flatMap(({ type, children }) => [type, ...children.map((child) => child.type)]),
      ...(sheet ?? []).map(({ type }) => type),
    ]),
    origin: ctx.origin(),
  };
}

/** Words with the names of types of sets that people made, which a thread has not learnt. */
function withOwnNames(words: SaidWords, types: readonly string[]): SaidWords {
  const own = types.flatMap((type) => {
    const name = ownName(type);
    return name === null ? [] : [[type, printable(name)] as const];
  });
  return { ...words, types: { ...words.types, ...Object.fromEntries(own) } };
}

export const packed = (page: Exclude<Page, { kind: 'pdf' }>): Promise<Buffer> | Buffer =>
  page.kind === 'text' ? Buffer.from(page.text) : zip(docxParts(page));
