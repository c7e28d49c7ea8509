// A report in a Word document and in a PDF has the grades, quotes and notes of the page, in each language.
import { expect, test } from 'vitest';
import { docxParts } from '#shared/formats/docx.ts';
import { languageNames, type Language } from '#shared/i18n/languages.ts';
import type { ReportView } from '#shared/reviews/report.ts';
import { readPdf } from '#tests/support/pdf.ts';
import { writePdf } from '../export/pdf.ts';
import { printedReport, writtenReport } from './pages.ts';

const said = { start: 65, end: 70, quote: '我们开始吧', text: 'Well said', voice: null, late: false };
const report: ReportView = {
  ...{ title: '会谈 Разговор', openedAt: '2026-03-12T10:00:00.000Z', published: true, leader: 'Ann', src: null },
  sets: [],
  student: { id: 't', name: '' },
  reviewers: [
    { id: 'b', name: 'Ben', comment: '总体很好' },
    { id: 'c', name: '', comment: '' },
  ],
  competencies: [
    {
      ...{ type: 'trust', agreed: 3, median: 2, spread: { lowest: -1, highest: 4 } },
      grades: [
        { reviewerId: 'b', grade: 4, words: 'За терпение' },
        { reviewerId: 'c', grade: -1, words: '' },
      ],
      self: { grade: 2, words: '' },
      passages: [
        {
          ...{ ...said, id: '1', reviewerId: 'b', grade: 4, voice: '/api/meetings/l/attachments/a' },
          children: [
            { type: 'trustRespect', grade: null },
            { type: 'trustSupport', grade: -1 },
          ],
        },
      ],
    },
    { ...{ type: 'growth', agreed: null, median: null, spread: null, grades: [], self: null, passages: [] } },
  ],
  comments: [
    { ...said, id: '2', reviewerId: 'c', text: 'Hm', reply: false },
    { ...said, id: '3', reviewerId: 'b', text: 'Indeed', reply: true },
  ],
};
const around = (language: Language) => ({ language, origin: 'https://house.test' });
const languages = Object.keys(languageNames) as Language[];
const inEvery = [
  ...['会谈 Разговор', 'Ben', '总体很好', '1:05', '我们开始吧', 'Well said', 'За терпение', 'Hm', 'Indeed'],
  'https://house.test/api/meetings/l/attachments/a',
];

test.each(languages)('the PDF: %s', async (language) => {
  const { title, blocks } = printedReport(report, around(language));
  const { pages, bookmarks } = readPdf(await writePdf({ kind: 'pdf', lang: language, title, blocks }));
  const whole = pages.join('').replace(/\s+/g, ' ');
  for (const text of inEvery) expect(whole).toContain(text);
  expect(whole).not.toMatch(/\{\{|undefined|null/);
  expect(bookmarks.length).toBeGreaterThanOrEqual(4);
});

test.each(languages)('the Word document: %s', (language) => {
  const page = { kind: 'docx', lang: language, ...writtenReport(report, around(language)) } as const;
  const whole = docxParts(page).get('word/document.xml') ?? '';
  for (const text of inEvery) expect(whole).toContain(text);
  expect(whole).not.toMatch(/\{\{|undefined|null/);
});

test('says how a grade came about, what is missing, and who gave it', () => {
  const { blocks } = printedReport(report, around('en'));
  expect(blocks).toContainEqual(
    expect.objectContaining({
      text: 'Agreed grade: 3: mostly; grades from Not shown at all to 4: throughout; self-assessment: 2: in parts',
    }),
  );
  expect(blocks).toContainEqual(expect.objectContaining({ head: 'Reviewer 2', reply: true }));
  expect(blocks).toContainEqual(expect.objectContaining({ text: 'No grade' }));
  const passage = blocks.find((block) => block.kind === 'said' && block.quote === '我们开始吧');
  expect(passage).toMatchObject({ time: '1:05', head: 'Ben, 4: throughout' });
});

test('puts texts together by the marks of the language', () => {
  const said = printedReport(report, around('zh'))
    .blocks.map((block) => JSON.stringify(block))
    .join();
  expect(said).toContain('Ben、评审人 2');
  expect(said).toContain('Ben，4');
  expect(said).not.toMatch(/\p{Script=Han}[,;] /u);
});

test('says of a comment that was added after the opening that it was', () => {
  const [first, ...others] = report.comments;
  if (!first) throw new Error('no comment');
  const late = { ...report, comments: [{ ...first, late: true }, ...others] };
  expect(printedReport(late, around('en')).blocks).toContainEqual(
    expect.objectContaining({ text: 'Hm \u2014 after opening' }),
  );
  const written = (language: Language) =>
    docxParts({ kind: 'docx', lang: language, ...writtenReport(late, around(language)) }).get('word/document.xml');
  expect(written('en')).toContain('after opening');
  expect(written('es')).toContain('después de la apertura');
});
