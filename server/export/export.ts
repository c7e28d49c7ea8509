import type { ExportInput } from '#shared/export.ts';
import { docxParts } from '#shared/formats/docx.ts';
import { chosenOf, contentTypes, fileName } from '#shared/formats/formats.ts';
import type { Page } from '#shared/formats/page.ts';
import { spokenDocument } from '#shared/formats/spoken.ts';
import { writeTranscript } from '#shared/formats/write.ts';
import type { Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { accessTo } from '../meetings/access.ts';
import { zip } from './zip.ts';

export interface ExportedFile {
  name: string;
  type: string;
  bytes: Buffer;
}

/** A meeting's text as it is stored at this moment, as a file in somebody else's format. */
export async function exportMeeting(
  ctx: Ctx,
  { id, format, options }: ExportInput & { id: string },
): Promise<ExportedFile> {
  await accessTo(ctx, id);
  await ctx.limits.take(rules.export, ctx.person?.id ?? ctx.address);
  const chosen = chosenOf(format, options);
  // Outcomes and comments come here, each room as the caller may read it, when there are any.
  const document = await ctx.documents.read(id, (doc) => spokenDocument(doc));
  const bytes = await packed(writeTranscript(format, document, chosen));
  return { name: fileName(document.title, chosen.fileType), type: contentTypes[chosen.fileType], bytes };
}

export const packed = (page: Page): Promise<Buffer> | Buffer =>
  page.kind === 'text' ? Buffer.from(page.text) : zip(docxParts(page));
