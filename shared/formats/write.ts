import { srtFile, vttFile, zoomFile } from './captions.ts';
import type { Chosen, ExportFormat } from './formats.ts';
import { writeJson } from './json.ts';
import { printed, type PrintedWords } from './printed.ts';
import { writeMarkdown } from './markdown.ts';
import { writeOtter, writeOtterDocx } from './otter.ts';
import type { Block, Page } from './page.ts';
import { carriedXml, writeRae, writeRaeDocx } from './rae.ts';
import { redact, redactSaid } from './redact.ts';
import { writeRev } from './rev.ts';
import { saidLists, type Said } from './said.ts';
import { inOrder, type SpokenDocument } from './spoken.ts';
import { writeTranscribeme } from './transcribeme.ts';
import { writeTurboscribe, writeTurboscribeDocx } from './turboscribe.ts';

/** Writes a document in a format; used for the file and for its preview. */
export function writeTranscript(
  format: ExportFormat,
  whole: SpokenDocument,
  chosen: Omit<Chosen, 'summary' | 'contents' | 'outcomes' | 'comments' | 'private'>,
  /** Annotations, if they are to be in the file. */
  wholeSaid?: Said,
  words?: PrintedWords,
): Page {
  const { redacted } = chosen;
  const document = redacted ? redact(whole) : whole;
  const said = wholeSaid && redacted ? redactSaid(wholeSaid) : wholeSaid;
  const { title, lang, turns } = document;
  const about = () => said && saidLists(said);
  const { speakers } = chosen;
  const text = (written: string): Page => ({ kind: 'text', text: written });
  const docx = (
    blocks: readonly Block[],
    more: Pick<Extract<Page, { kind: 'docx' }>, 'carried' | 'remarks'> = {},
  ): Page => ({
    kind: 'docx',
    blocks,
    title,
    lang,
    ...more,
  });
  const inWords = chosen.fileType === 'docx';
  switch (format) {
    case 'REV':
      return docx(writeRev(title, inOrder(turns), chosen));
    case 'TRME':
      return docx(writeTranscribeme({ ...document, turns: inOrder(turns) }, chosen));
    case 'ZOOM':
      return text(zoomFile(turns, speakers));
    case 'RAE':
      if (chosen.fileType === 'pdf')
        return { kind: 'pdf', blocks: printed(document, about(), said?.contents, words), title, lang };
      if (!inWords) return text(writeRae(document, about()));
      {
        const { blocks, remarks } = writeRaeDocx(document, about(), words);
        return docx(blocks, { remarks, carried: carriedXml(document) });
      }
    case 'OTTERAI':
      return inWords
        ? docx(writeOtterDocx({ ...document, turns: inOrder(turns) }, speakers))
        : text(writeOtter(inOrder(turns), speakers));
    case 'TURBOSCRIBE':
      return inWords
        ? docx(writeTurboscribeDocx(inOrder(turns), speakers))
        : text(writeTurboscribe(inOrder(turns), speakers));
    case 'SRT':
      return text(srtFile(turns, speakers));
    case 'VTT':
      return text(vttFile(turns, speakers));
    case 'MARKDOWN':
      return text(writeMarkdown(document, chosen, about()));
    case 'JSON':
      return text(writeJson(document, said));
  }
}
