import { contentTypes, fileName } from '#shared/formats/formats.ts';
import { Problem } from '#shared/problems.ts';
import type { ReportQuery } from '#shared/reviews/report.ts';
import { signedIn, type Ctx } from '../context.ts';
import { packed } from '../export/export.ts';
import { rules } from '../limits.ts';
import type { ReviewId } from '../reviews/part.ts';
import { printedReport, titleOf, writtenReport } from './pages.ts';
import { viewReport } from './report.ts';

/** The report as a file, in the language of the person who asks for it. */
export async function reportFile(ctx: Ctx, { type, ...named }: ReviewId & ReportQuery) {
  const { person } = signedIn(ctx);
  const { report } = await viewReport(ctx, named);
  if (!report) throw new Problem('NOT_FOUND');
  await ctx.limits.take(rules.export, person.id);
  const { language: lang } = ctx;
  const around = { language: lang, origin: ctx.origin() };
  const bytes =
    type === 'pdf'
      ? await ctx.pdfs.write({ kind: 'pdf', lang, ...printedReport(report, around) }, person.id)
      : await packed({ kind: 'docx', lang, ...writtenReport(report, around) });
  return { name: fileName(titleOf(report, around), type), type: contentTypes[type], bytes };
}
