/** Content of a word processor file; written by `docx.ts`. */
export type Block =
  | { kind: 'paragraph'; style: ParagraphStyle; text: string }
  | { kind: 'table'; rows: readonly (readonly string[])[]; wide?: boolean };

export type ParagraphStyle = 'title' | 'meta' | 'head' | 'text';

/** Name of the style of heads, which tells a reader more than their text. */
export const headStyle = 'SegmentHead';

export type Page =
  | { kind: 'text'; text: string }
  | {
      kind: 'docx';
      blocks: readonly Block[];
      title: string;
      lang: string;
      /** Hidden data beside the text: an XML document of our own. */
      carried?: string;
    };

/** First lines of a file as plain text. */
export function firstLines(page: Page, count: number): string[] {
  const lines =
    page.kind === 'text'
      ? page.text.split('\n')
      : page.blocks.flatMap((block) =>
          block.kind === 'paragraph' ? [block.text] : block.rows.map((row) => row.join('\t')),
        );
  return lines.slice(0, count);
}
