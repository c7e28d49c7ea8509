import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import PDFDocument from 'pdfkit';
import type { Page, Printed } from '#shared/formats/page.ts';

// PDF of printed blocks. Lines are broken here, because pdfkit breaks those of one font alone, and a line may need a
// Latin, a Cyrillic and a Chinese one.

const { resolve } = createRequire(import.meta.url);
const subsets = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'];
const literata = (weight: number) =>
  subsets.map((subset) => resolve(`@fontsource/literata/files/literata-${subset}-${weight}-normal.woff`));
const inter = (weight: number) =>
  subsets.map((subset) => resolve(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff`));
const chinese = join(dirname(resolve('@embedpdf/fonts-sc')), '../fonts/NotoSansHans-Regular.otf');

/** Fonts tried for each letter. */
type Face = 'text' | 'plain' | 'strong';
const filesOfFace: Record<Face, readonly string[]> = {
  text: [...literata(400), chinese],
  plain: [...inter(400), chinese],
  strong: [...inter(600), chinese],
};

interface Style {
  face: Face;
  size: number;
  /** Distance of baselines. */
  leading: number;
  color: string;
}

const ink = '#1E2328';
const muted = '#5A626B';
const styles = {
  title: { face: 'strong', size: 20, leading: 26, color: ink },
  heading: { face: 'strong', size: 13, leading: 18, color: ink },
  chapter: { face: 'strong', size: 11, leading: 16, color: ink },
  name: { face: 'strong', size: 9.5, leading: 14, color: ink },
  small: { face: 'plain', size: 9.5, leading: 14, color: muted },
  text: { face: 'text', size: 11, leading: 16.5, color: ink },
  note: { face: 'text', size: 10, leading: 14.5, color: ink },
  quote: { face: 'text', size: 10, leading: 14.5, color: muted },
} as const satisfies Record<string, Style>;

const margin = 68;
const indent = 18;
const footer = 40;

/** Letters of one font; `file` is null where no font has them. */
interface Run {
  style: Style;
  file: string | null;
  text: string;
  width: number;
}

const han = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
/** Parts of a text that no line break cuts; Chinese may break after each letter, but not before a closing mark. */
const parts = new RegExp(
  String.raw`(?:[\p{Ps}\p{Pi}]{0,20}[${han}][\p{Pe}\p{Pf}\p{Po}\p{Pd}ー々]{0,20}|[^\s${han}]{1,120})\s*|\s+`,
  'gu',
);
/** A letter with its accents. */
const letters = /.(?:\p{M}|\u200D|\uFE0F){0,20}/gsu;
const invisible = /^\p{Default_Ignorable_Code_Point}+$/u;
const box = '\u25A1';

/** Writes a PDF; takes a second of the processor for a long transcript. */
export function writePdf({ blocks, title, lang }: Extract<Page, { kind: 'pdf' }>): Promise<Buffer> {
  const writer = new Writer(title, lang);
  for (const block of blocks) writer.write(block);
  return writer.end();
}

class Writer {
  private readonly doc: PDFKit.PDFDocument;
  private readonly chunks: Buffer[] = [];
  private readonly ended: Promise<Buffer>;
  private readonly width: number;
  private readonly bottom: number;
  /** Distance of the next line from the top of the page. */
  private y = margin;
  private bookmark: PDFKit.PDFOutline | null = null;
  /** File that has a letter, by face and letter. */
  private readonly found = new Map<string, string | null>();

  constructor(title: string, lang: string) {
    this.doc = new PDFDocument({
      size: 'A4',
      margin: 0,
      // No standard font.
      font: '',
      bufferPages: true,
      pdfVersion: '1.7',
      tagged: true,
      displayTitle: true,
      ...(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(lang) && { lang }),
      info: { Title: title, Creator: 'Colloquy', Producer: 'Colloquy' },
    });
    this.width = this.doc.page.width - 2 * margin;
    this.bottom = this.doc.page.height - margin;
    this.ended = new Promise((done, failed) => {
      this.doc.on('data', (chunk: Buffer) => this.chunks.push(chunk));
      this.doc.on('end', () => done(Buffer.concat(this.chunks)));
      this.doc.on('error', failed);
    });
  }

  write(block: Printed): void {
    switch (block.kind) {
      case 'title':
        this.block('H1', [[styles.title, block.text]], { after: 6 });
        break;
      case 'fact':
        this.block('P', [
          [styles.small, `${block.name}: `],
          [{ ...styles.small, color: ink }, block.value],
        ]);
        break;
      case 'heading':
        this.heading(block.level, block.text);
        break;
      case 'segment':
        this.block(
          'P',
          [
            [styles.name, `${block.name} `],
            [styles.small, ` ${block.time}`],
          ],
          { before: 9, with: 2 },
        );
        this.block('P', [[styles.text, block.text]]);
        break;
      case 'said':
        this.annotation(block);
        break;
    }
  }

  end(): Promise<Buffer> {
    const { count } = this.doc.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.doc.switchToPage(page);
      this.doc.markContent('Artifact', { type: 'Pagination' });
      const runs = this.runsOf(styles.small, `${page + 1} / ${count}`);
      const width = runs.reduce((sum, run) => sum + run.width, 0);
      this.draw(runs, (this.doc.page.width - width) / 2, this.doc.page.height - footer);
      this.doc.endMarkedContent();
    }
    this.doc.end();
    return this.ended;
  }

  private heading(level: 1 | 2, text: string): void {
    const style = level === 1 ? styles.heading : styles.chapter;
    this.block(level === 1 ? 'H2' : 'H3', [[style, text]], {
      before: 14,
      after: 2,
      with: 3,
      begin: () => {
        if (level === 1) this.bookmark = this.doc.outline.addItem(text, { expanded: true });
        else (this.bookmark ?? this.doc.outline).addItem(text);
      },
    });
  }

  private annotation({ time, head, text, quote, reply }: Extract<Printed, { kind: 'said' }>): void {
    const left = reply ? indent : 0;
    const words: [Style, string][] = [
      [styles.small, time && `${time}  `],
      [styles.name, head && `${head}${text === '' ? '' : ': '}`],
      [styles.note, text],
    ];
    this.block(
      'P',
      words.filter(([, said]) => said !== ''),
      { left, before: reply ? 1 : 5 },
    );
    if (quote !== '') this.block('P', [[styles.quote, `\u201C${quote}\u201D`]], { left: left + indent });
  }

  /** Draws texts one after the other as a paragraph; `with`: lines that have to fit on the page of its first one. */
  private block(
    tag: string,
    texts: readonly (readonly [Style, string])[],
    {
      left = 0,
      before = 0,
      after = 0,
      with: together = 1,
      begin = () => {},
    }: { left?: number; before?: number; after?: number; with?: number; begin?: () => void } = {},
  ): void {
    const lines = this.linesOf(texts, this.width - left);
    const leading = Math.max(...texts.map(([style]) => style.leading));
    if (this.y > margin) this.y += before;
    this.makeRoom((lines.length + together - 1) * leading < 200 ? leading * together : leading);
    begin();
    const struct = this.doc.struct(tag);
    this.doc.addStructure(struct);
    struct.add(this.doc.markStructureContent(tag));
    for (const runs of lines) {
      this.makeRoom(leading);
      this.draw(runs, margin + left, this.y + leading * 0.75);
      this.y += leading;
    }
    this.doc.endMarkedContent();
    struct.end();
    this.y += after;
  }

  private makeRoom(height: number): void {
    if (this.y + height <= this.bottom) return;
    this.doc.continueOnNewPage();
    this.y = margin;
  }

  /** Draws runs on a baseline. */
  private draw(runs: readonly Run[], left: number, baseline: number): void {
    let x = left;
    for (const { style, file, text, width } of runs) {
      this.doc
        .font(file ?? chinese)
        .fontSize(style.size)
        .fillColor(style.color);
      const options = { lineBreak: false, baseline: 'alphabetic' } as const;
      if (file === null) {
        // Programs that read or search the file get the text itself.
        this.doc.markContent('Span', { actual: text });
        this.doc.text(boxes(text), x, baseline, options);
        this.doc.endMarkedContent();
      } else this.doc.text(text, x, baseline, options);
      x += width;
    }
  }

  private linesOf(texts: readonly (readonly [Style, string])[], width: number): Run[][] {
    const lines: Run[][] = [];
    let line: Run[] = [];
    let taken = 0;
    const put = (runs: readonly Run[]) => {
      for (const run of runs) {
        const last = line.at(-1);
        if (last && last.style === run.style && last.file === run.file) {
          last.text += run.text;
          last.width += run.width;
        } else line.push({ ...run });
        taken += run.width;
      }
    };
    const wrap = () => {
      lines.push(line);
      line = [];
      taken = 0;
    };
    for (const [style, text] of texts)
      for (const [part] of text.matchAll(parts)) {
        const runs = this.runsOf(style, part);
        const needed = widthOf(this.runsOf(style, part.trimEnd()));
        if (needed <= width) {
          if (taken + needed > width && line.length > 0) wrap();
          put(runs);
        } else
          for (const [letter] of part.matchAll(letters)) {
            const run = this.runsOf(style, letter);
            if (taken + widthOf(run) > width && line.length > 0) wrap();
            put(run);
          }
      }
    if (line.length > 0 || lines.length === 0) wrap();
    return lines;
  }

  private runsOf(style: Style, text: string): Run[] {
    const runs: Run[] = [];
    for (const [written] of text.matchAll(letters)) {
      // A letter and its accent may be one letter to a font.
      const composed = written.normalize('NFC');
      const own = this.fileFor(style.face, written);
      const [letter, file] = own === null ? [composed, this.fileFor(style.face, composed)] : [written, own];
      if (file === null && invisible.test(letter)) continue;
      const last = runs.at(-1);
      if (last && last.file === file) last.text += letter;
      else runs.push({ style, file, text: letter, width: 0 });
    }
    for (const run of runs) {
      this.doc.font(run.file ?? chinese).fontSize(style.size);
      run.width = this.doc.widthOfString(run.file === null ? boxes(run.text) : run.text);
    }
    return runs;
  }

  /** First file that has a letter and its accents. */
  private fileFor(face: Face, letter: string): string | null {
    const key = `${face}${letter}`;
    const known = this.found.get(key);
    if (known !== undefined) return known;
    const points = [...letter].map((one) => one.codePointAt(0) ?? 0);
    const file = filesOfFace[face].find((one) => points.every((point) => this.has(one, point))) ?? null;
    this.found.set(key, file);
    return file;
  }

  private has(file: string, point: number): boolean {
    // pdfkit does not tell which letters a font has; fontkit, which it holds, does.
    const { font } = (this.doc.font(file) as unknown as { _font: { font: Covering } })._font;
    return font.hasGlyphForCodePoint(point);
  }
}

interface Covering {
  hasGlyphForCodePoint(point: number): boolean;
}

const boxes = (text: string): string => box.repeat([...text.matchAll(letters)].length);

const widthOf = (runs: readonly Run[]): number => runs.reduce((sum, { width }) => sum + width, 0);
