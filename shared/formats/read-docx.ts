import { clean, InvalidTranscript, most, type Line, type Source } from './source.ts';
import { asideStyles, headStyle } from './page.ts';
import { NotXml, readXml } from './xml.ts';

// Paragraphs and tables of a Word document as readers see them: proposed changes count as accepted, and of alternative
// contents the first one is used.

/** Part of the package by its name; null if it does not exist. */
type Part = (name: string) => string | null;

const namespaces = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
]);
const mainPart = 'word/document.xml';
/** Namespace of our own part, whose number depends on the program that wrote it. */
export const carriedNamespace = 'urn:colloquy:transcript:1';
const mostCarriedParts = 20;

export function readDocx(part: Part): Source {
  try {
    const main = part(mainName(part));
    if (main === null) throw new InvalidTranscript(null, 'a .docx document');
    return { kind: 'docx', lines: linesOf(main), carried: carriedIn(part) };
  } catch (error) {
    if (error instanceof NotXml) throw new InvalidTranscript(null, 'a .docx document that is not damaged');
    throw error;
  }
}

/** Name of the main part; nearly all programs use the same, but the package decides. */
function mainName(part: Part): string {
  const relations = part('_rels/.rels');
  let found: string | null = null;
  if (relations !== null)
    readXml(relations, {
      open: (name, attribute) => {
        if (
          name === 'Relationship' &&
          attribute('Type')?.endsWith('/officeDocument') &&
          attribute('TargetMode') !== 'External'
        )
          found ??= attribute('Target')?.replace(/^\.?\//, '') ?? null;
      },
      close: () => {},
      text: () => {},
    });
  return found ?? mainPart;
}

function carriedIn(part: Part): string | null {
  for (let i = 1; i <= mostCarriedParts; i += 1) {
    const custom = part(`customXml/item${i}.xml`);
    if (custom === null) continue;
    if (custom.slice(0, 500).includes(`"${carriedNamespace}"`)) return custom;
  }
  return null;
}

/** Elements whose content is ignored. */
const ignored = new Set(['del', 'moveFrom', 'Fallback']);

const asides: ReadonlySet<string> = new Set(Object.values(asideStyles));

const marksOf = (style: string): Partial<Line> =>
  style === headStyle ? { styled: true } : asides.has(style) ? { aside: true } : {};

interface Cell {
  /** Also of the tables within it: text is joined once, however deep it is. */
  paragraphs: string[];
}

function linesOf(xml: string): Line[] {
  const lines: Line[] = [];
  /** Prefix of the namespace in this file; a `p` is a paragraph only within it. */
  let prefix: string | null = null;
  let number = 0;
  let skipping = 0;
  let inText = false;
  const paragraphs: string[] = [];
  let styled: Partial<Line> = {};
  /** Cells of the outermost row that is open. */
  let row: Cell[] | null = null;
  let depth = 0;
  const local = (name: string): string | null => {
    const colon = name.indexOf(':');
    const own = colon < 0 ? '' : name.slice(0, colon);
    if (own === prefix) return name.slice(colon + 1);
    return name === 'mc:Fallback' ? 'Fallback' : null;
  };
  const add = (text: string, more: Partial<Line> = {}) => {
    number += 1;
    if (number > most.lines) throw new InvalidTranscript(number, `at most ${most.lines} paragraphs`);
    // Line breaks within a paragraph begin a line that is not `fresh`.
    clean(text)
      .split('\n')
      .forEach((line, i) => {
        if (line.trim() !== '' || more.cells) lines.push({ number, text: line, fresh: i === 0, ...more });
      });
  };
  const write = (text: string) => {
    if (paragraphs.length > 0) paragraphs[paragraphs.length - 1] += text;
  };

  readXml(xml, {
    open(name, attribute) {
      prefix ??= prefixIn(name, attribute);
      const what = local(name);
      if (what === null) return;
      if (skipping > 0 || ignored.has(what)) {
        if (ignored.has(what)) skipping += 1;
        return;
      }
      if (what === 'p') {
        paragraphs.push('');
        styled = {};
      } else if (what === 'pStyle') styled = marksOf(attribute(prefix === '' ? 'val' : `${prefix}:val`) ?? '');
      else if (what === 't') inText = true;
      else if (what === 'tab') write('\t');
      else if (what === 'br' || what === 'cr') write('\n');
      else if (what === 'noBreakHyphen') write('-');
      else if (what === 'tr') {
        depth += 1;
        row ??= [];
      } else if (what === 'tc' && depth === 1) row?.push({ paragraphs: [] });
    },
    close(name) {
      const what = local(name);
      if (what === null) return;
      if (ignored.has(what)) skipping -= 1;
      if (skipping > 0) return;
      if (what === 't') inText = false;
      else if (what === 'p') {
        const text = paragraphs.pop() ?? '';
        const cell = row?.at(-1);
        // Boxes within a paragraph come before it.
        if (cell) cell.paragraphs.push(text);
        else add(text, styled);
        styled = {};
      } else if (what === 'tr') {
        depth = Math.max(0, depth - 1);
        if (depth > 0 || !row) return;
        const cells = row.map(({ paragraphs: said }) => clean(said.join(' ').replace(/[\t\n]+/g, ' ')));
        row = null;
        if (cells.some((cell) => cell.trim() !== '')) add(cells.join('\t'), { cells });
        else number += 1;
      }
    },
    text(text) {
      if (inText && skipping === 0) write(text);
    },
  });
  return lines;
}

/** Prefix of the namespace, declared at the root. */
function prefixIn(name: string, attribute: (name: string) => string | undefined): string {
  const colon = name.indexOf(':');
  const own = colon < 0 ? '' : name.slice(0, colon);
  if (!namespaces.has(attribute(own === '' ? 'xmlns' : `xmlns:${own}`) ?? ''))
    throw new InvalidTranscript(null, 'a .docx document');
  return own;
}
