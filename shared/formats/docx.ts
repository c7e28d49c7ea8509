import { initialsOf } from '../initials.ts';
import {
  asideStyles,
  headStyle,
  type Block,
  type Page,
  type ParagraphStyle,
  type Remark,
  type RemarkPlace,
} from './page.ts';
import { escaped } from './xml.ts';

// Word document as the parts of its package, with only those features that every program reads.

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const w = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const officeRelations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';

const styleIds: Record<ParagraphStyle, string> = {
  title: 'Title',
  meta: 'SegmentMeta',
  head: headStyle,
  text: 'SegmentText',
  ...asideStyles,
};

/** Parts by their names in the package; the first must come first. */
export function docxParts({
  blocks,
  title,
  lang,
  remarks = [],
  carried,
}: Extract<Page, { kind: 'docx' }>): Map<string, string> {
  const parts = new Map([
    ['[Content_Types].xml', contentTypes({ carries: carried !== undefined, remarks: remarks.length > 0 })],
    [
      '_rels/.rels',
      relations([
        ['officeDocument', 'word/document.xml'],
        ['metadata/core-properties', 'docProps/core.xml'],
      ]),
    ],
    ['docProps/core.xml', core(title, lang)],
    [
      'word/_rels/document.xml.rels',
      relations([
        ['styles', 'styles.xml'],
        ...(remarks.length === 0 ? [] : [['comments', 'comments.xml'] as const]),
        ...(carried === undefined ? [] : [['customXml', '../customXml/item1.xml'] as const]),
      ]),
    ],
    ['word/styles.xml', styles(lang)],
    [
      'word/document.xml',
      `${head}<w:document xmlns:w="${w}"><w:body>${blocks.map(blockXml).join('')}<w:sectPr><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="709" w:footer="709" w:gutter="0"/></w:sectPr></w:body></w:document>`,
    ],
  ]);
  if (remarks.length > 0) parts.set('word/comments.xml', comments(remarks));
  if (carried !== undefined) parts.set('customXml/item1.xml', carried);
  return parts;
}

function blockXml(block: Block): string {
  if (block.kind === 'paragraph') return paragraph(block.text, block.style, block.remarks);
  const columns = Math.max(1, ...block.rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => (i === columns - 1 ? 9600 - 1800 * (columns - 1) : 1800));
  const rows = block.rows.map(
    (row) =>
      `<w:tr>${widths
        .map(
          (width, i) =>
            `<w:tc><w:tcPr><w:tcW w:w="${width}" w:type="dxa"/></w:tcPr>${paragraph(row[i] ?? '', 'text')}</w:tc>`,
        )
        .join('')}</w:tr>`,
  );
  const grid = widths.map((width) => `<w:gridCol w:w="${width}"/>`).join('');
  // The empty paragraph keeps two tables in a row apart.
  return `<w:tbl><w:tblPr><w:tblW w:w="9600" w:type="dxa"/>${borders}<w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>${grid}</w:tblGrid>${rows.join('')}</w:tbl>${paragraph('', 'text')}`;
}

const borders = `<w:tblBorders>${['top', 'left', 'bottom', 'right', 'insideH', 'insideV']
  .map((side) => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="BFBFBF"/>`)
  .join('')}</w:tblBorders>`;

const paragraph = (text: string, style: ParagraphStyle, remarks: readonly RemarkPlace[] = []): string =>
  `<w:p><w:pPr><w:pStyle w:val="${styleIds[style]}"/></w:pPr>${runs(text, remarks)}</w:p>`;

const run = (text: string): string =>
  text === '' ? '' : `<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`;

/** Text with the beginnings and ends of the words that remarks are about. */
function runs(text: string, remarks: readonly RemarkPlace[]): string {
  const bounds = [...new Set([0, ...remarks.flatMap(({ from, to }) => [from, to]), text.length])].sort(
    (one, other) => one - other,
  );
  return bounds
    .map((at, i) => {
      const ended = remarks.filter(({ from, to }) => to === at && from < to).flatMap((place) => place.remarks.map(end));
      const begun = remarks
        .filter(({ from }) => from === at)
        .flatMap(({ from, to, remarks: ids }) => [...ids.map(begin), ...(from < to ? [] : ids.map(end))]);
      return [...ended, ...begun, run(text.slice(at, bounds[i + 1] ?? at))].join('');
    })
    .join('');
}

const begin = (id: number): string => `<w:commentRangeStart w:id="${id}"/>`;
const end = (id: number): string => `<w:commentRangeEnd w:id="${id}"/><w:r><w:commentReference w:id="${id}"/></w:r>`;

const comments = (remarks: readonly Remark[]): string =>
  `${head}<w:comments xmlns:w="${w}">${remarks
    .map(
      ({ name, text }, id) =>
        `<w:comment w:id="${id}" w:author="${escaped(name)}" w:initials="${escaped(initialsOf(name))}"><w:p>${run(text)}</w:p></w:comment>`,
    )
    .join('')}</w:comments>`;

const contentTypes = ({ carries, remarks }: { carries: boolean; remarks: boolean }): string =>
  `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>${
    remarks
      ? '<Override PartName="/word/comments.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"/>'
      : ''
  }${carries ? '<Override PartName="/customXml/item1.xml" ContentType="application/xml"/>' : ''}</Types>`;

const relations = (list: readonly (readonly [type: string, target: string])[]): string =>
  `${head}<Relationships xmlns="${packageRelations}">${list
    .map(
      ([type, target], i) =>
        `<Relationship Id="rId${i + 1}" Type="${type.includes('/') ? `http://schemas.openxmlformats.org/package/2006/relationships/${type}` : `${officeRelations}/${type}`}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

const core = (title: string, lang: string): string =>
  `${head}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escaped(title)}</dc:title><dc:language>${escaped(lang)}</dc:language></cp:coreProperties>`;

function styles(lang: string): string {
  const style = (id: string, name: string, paragraphProperties: string, runProperties: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="Normal"/><w:qFormat/><w:pPr>${paragraphProperties}</w:pPr><w:rPr>${runProperties}</w:rPr></w:style>`;
  return `${head}<w:styles xmlns:w="${w}"><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/>${
    /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(lang) ? `<w:lang w:val="${lang}"/>` : ''
  }</w:rPr></w:rPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>${[
    style('Title', 'Title', '<w:spacing w:after="120"/>', '<w:b/><w:sz w:val="36"/>'),
    style('SegmentMeta', 'Segment Meta', '', '<w:color w:val="595959"/>'),
    style(headStyle, 'Segment Head', '<w:keepNext/><w:spacing w:before="200"/>', '<w:b/>'),
    style('SegmentText', 'Segment Text', '<w:spacing w:after="60"/>', ''),
    // The name makes it a heading in every program: in its outline, and for screen readers.
    style(
      asideStyles.heading,
      'heading 1',
      '<w:keepNext/><w:spacing w:before="320" w:after="80"/><w:outlineLvl w:val="0"/>',
      '<w:b/><w:sz w:val="28"/>',
    ),
    style(asideStyles.aside, 'Annotation Text', '<w:spacing w:after="60"/>', ''),
  ].join('')}</w:styles>`;
}
