/** Content of a word processor file; written by `docx.ts`. */
export type Block =
  | { kind: 'paragraph'; style: ParagraphStyle; text: string; remarks?: readonly RemarkPlace[] }
  | { kind: 'table'; rows: readonly (readonly string[])[]; wide?: boolean };

export type ParagraphStyle = 'title' | 'meta' | 'head' | 'text' | 'heading' | 'aside';

/** Comment of the word processor: shown beside the words, and no part of them. */
export interface Remark {
  name: string;
  text: string;
}

/** Words that remarks are about, by the numbers of the remarks. */
export interface RemarkPlace {
  from: number;
  to: number;
  remarks: readonly number[];
}

/** Name of the style of heads, which tells a reader more than their text. */
export const headStyle = 'SegmentHead';
/** Names of the styles of what stands beside the transcript, which is not read back. */
export const asideStyles = { heading: 'AnnotationHeading', aside: 'AnnotationText' } as const;

/** Content of a PDF; written by `server/export/pdf.ts`. */
export type Printed =
  | { kind: 'title'; text: string }
  | { kind: 'fact'; name: string; value: string }
  /** Also a bookmark; those of level 2 are below the last one of level 1. */
  | { kind: 'heading'; level: 1 | 2; text: string }
  | { kind: 'segment'; name: string; time: string; text: string }
  /** Annotation, or a reply to the one above it. */
  | { kind: 'said'; time: string; head: string; text: string; quote: string; reply: boolean };

export type Page =
  | { kind: 'text'; text: string }
  | { kind: 'pdf'; blocks: readonly Printed[]; title: string; lang: string }
  | {
      kind: 'docx';
      blocks: readonly Block[];
      title: string;
      lang: string;
      remarks?: readonly Remark[];
      /** Hidden data beside the text: an XML document of our own. */
      carried?: string;
    };

/** First lines of a file as plain text. */
export function firstLines(page: Page, count: number): string[] {
  const lines =
    page.kind === 'text'
      ? page.text.split('\n')
      : page.kind === 'pdf'
        ? page.blocks.flatMap(printedLines)
        : [
            ...page.blocks.flatMap((block) =>
              block.kind === 'paragraph' ? [block.text] : block.rows.map((row) => row.join('\t')),
            ),
            ...(page.remarks ?? []).map(({ name, text }) => [name, text].filter(Boolean).join(': ')),
          ];
  return lines.slice(0, count);
}

function printedLines(block: Printed): string[] {
  if (block.kind === 'title' || block.kind === 'heading') return [block.text, ''];
  if (block.kind === 'fact') return [`${block.name}: ${block.value}`];
  if (block.kind === 'segment') return ['', `${block.name}  ${block.time}`, block.text];
  return [[block.time, block.head, block.text, block.quote].filter(Boolean).join('  ')];
}
