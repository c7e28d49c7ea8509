import type { Block, Printed } from '#shared/formats/page.ts';
import { shortTime } from '#shared/formats/times.ts';
import type { Language } from '#shared/i18n/languages.ts';
import { marksOf } from '#shared/i18n/marks.ts';
import { negative } from '#shared/meetings/outcome-types.ts';
import { ownGradeName, ownName } from '#shared/meetings/own-types.ts';
import type { ReportView } from '#shared/reviews/report.ts';
import { outcomeWords } from '../annotations/said-words.ts';
import { reportWords } from './words.ts';

// A report as the blocks of a PDF and of a Word document, in the language of the person who asks for it.

interface Around {
  language: Language;
  /** Address of this house, for voice notes. */
  origin: string;
}

type Competency = ReportView['competencies'][number];
type Said = Pick<Competency['passages'][number], 'start' | 'quote' | 'text' | 'voice' | 'late' | 'reviewerId'>;

const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));

/** Texts of one report. */
function textsOf(report: ReportView, { language, origin }: Around) {
  const { report: words, reviewer } = reportWords[language];
  const { types, one, grades } = outcomeWords[language];
  const typeNames: Readonly<Record<string, string>> = { ...types, ...one };
  const details: Readonly<Record<string, string>> = types;
  const gradeNames: Readonly<Record<string, string>> = grades;
  const gradeText = (grade: number, type: string) =>
    ownGradeName(type, grade) ?? gradeNames[grade === negative ? 'negative' : `shown${grade}`] ?? String(grade);
  const nameOf = (id: string) => {
    if (id === report.student?.id) return report.student.name || words.student;
    const at = report.reviewers.findIndex((reviewed) => reviewed.id === id);
    return report.reviewers[at]?.name || fill(reviewer, { number: at + 1 });
  };
  const marks = marksOf(language);
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(new Date(report.openedAt));
  return {
    words,
    nameOf,
    gradeText,
    typeName: (type: string) => typeNames[type] ?? ownName(type) ?? type,
    title: fill(words.titleOf, { title: report.title }),
    facts: [
      [words.student, report.student?.name ?? ''],
      [words.reviewers, report.reviewers.map(({ id }) => nameOf(id)).join(marks.list)],
      [words.leader, report.leader],
      [words.openedAt, date],
    ].filter(([, value]) => value !== '') as [string, string][],
    overall: report.reviewers
      .filter(({ comment }) => comment !== '')
      .map(({ id, comment }) => ({ name: nameOf(id), comment })),
    /** The result of a competency in one line. */
    resultOf: ({ type, agreed, median, spread, self, passages }: Competency): string => {
      const result = agreed ?? median;
      const said = [
        result !== null && fill(agreed === null ? words.medianIs : words.agreedIs, { grade: gradeText(result, type) }),
        spread &&
          spread.lowest < spread.highest &&
          fill(words.range, { lowest: gradeText(spread.lowest, type), highest: gradeText(spread.highest, type) }),
        self?.grade != null && fill(words.selfIs, { grade: gradeText(self.grade, type) }),
      ].filter((line) => typeof line === 'string');
      return said.join(marks.clause) || (passages.length === 0 ? words.noGrade : '');
    },
    /** Reviewer who marked a passage, and their grade of it. */
    headOf: ({ type }: Competency, { reviewerId, grade }: Competency['passages'][number]): string =>
      [nameOf(reviewerId), grade !== null && gradeText(grade, type)].filter(Boolean).join(marks.comma),
    /** Grades with their reasons: name, grade, words. */
    gradesOf: ({ type, grades: given, self }: Competency): [string, string, string][] => [
      ...given.map((reviewed): [string, string, string] => [
        nameOf(reviewed.reviewerId),
        reviewed.grade === null ? words.noGrade : gradeText(reviewed.grade, type),
        reviewed.words,
      ]),
      ...(self && (self.grade !== null || self.words !== '')
        ? [
            [words.self, self.grade === null ? words.noGrade : gradeText(self.grade, type), self.words] as [
              string,
              string,
              string,
            ],
          ]
        : []),
    ],
    /** A note with the details that were marked, and the address of a voice note. */
    noteOf: ({ text, voice, late }: Said, children: Competency['passages'][number]['children'] = []): string =>
      [
        text,
        children
          .map(({ type, grade }) => {
            const name = details[type] ?? ownName(type) ?? type;
            return grade === negative ? fill(words.missing, { name }) : name;
          })
          .join(marks.list),
        voice === null ? '' : `${words.voice}: ${origin}${voice}`,
        late ? words.afterOpening : '',
      ]
        .filter(Boolean)
        .join(' \u2014 '),
  };
}

export const titleOf = (report: ReportView, around: Around): string => textsOf(report, around).title;

const isGraded = ({ grades, self }: Competency): boolean =>
  [...grades, ...(self ? [self] : [])].some(({ grade, words }) => grade !== null || words !== '');

export function printedReport(report: ReportView, around: Around): { title: string; blocks: Printed[] } {
  const texts = textsOf(report, around);
  const { words, title, nameOf } = texts;
  const said = (time: string, head: string, text: string, quote = '', reply = false): Printed => ({
    kind: 'said',
    ...{ time, head, text, quote, reply },
  });
  const section = (name: string, blocks: readonly Printed[]): Printed[] =>
    blocks.length === 0 ? [] : [{ kind: 'heading', level: 1, text: name }, ...blocks];
  const blocks: Printed[] = [
    { kind: 'title', text: title },
    ...texts.facts.map(([name, value]): Printed => ({ kind: 'fact', name, value })),
    ...section(
      words.overall,
      texts.overall.map(({ name, comment }) => said('', name, comment)),
    ),
    ...section(
      words.competencies,
      report.competencies.flatMap((one): Printed[] => [
        { kind: 'heading', level: 2, text: texts.typeName(one.type) },
        ...(texts.resultOf(one) === '' ? [] : [said('', '', texts.resultOf(one))]),
        ...(isGraded(one)
          ? texts
              .gradesOf(one)
              .map(([name, grade, why]) => said('', name, [grade, why].filter(Boolean).join(' \u2014 '), '', true))
          : []),
        ...one.passages.map((passage) =>
          said(
            shortTime(passage.start * 1000),
            texts.headOf(one, passage),
            texts.noteOf(passage, passage.children),
            passage.quote,
          ),
        ),
      ]),
    ),
    ...section(
      words.comments,
      report.comments.map((one) =>
        said(
          one.reply ? '' : shortTime(one.start * 1000),
          nameOf(one.reviewerId),
          texts.noteOf(one),
          one.reply ? '' : one.quote,
          one.reply,
        ),
      ),
    ),
  ];
  return { title, blocks };
}

export function writtenReport(report: ReportView, around: Around): { title: string; blocks: Block[] } {
  const texts = textsOf(report, around);
  const { words, title, nameOf } = texts;
  const head = (text: string): Block => ({ kind: 'paragraph', style: 'head', text });
  const section = (text: string): Block => ({ kind: 'paragraph', style: 'title', text });
  const table = (rows: readonly (readonly string[])[]): Block[] => (rows.length === 0 ? [] : [{ kind: 'table', rows }]);
  const quoted = (quote: string, note: string) => [quote && `\u201C${quote}\u201D`, note].filter(Boolean).join(' ');
  const blocks: Block[] = [
    section(title),
    ...table(texts.facts),
    ...(texts.overall.length > 0
      ? [section(words.overall), ...table(texts.overall.map(({ name, comment }) => [name, comment]))]
      : []),
    section(words.competencies),
    ...report.competencies.flatMap((one): Block[] => [
      head(texts.typeName(one.type)),
      ...(texts.resultOf(one) === '' ? [] : [{ kind: 'paragraph', style: 'text', text: texts.resultOf(one) } as const]),
      ...table(isGraded(one) ? texts.gradesOf(one) : []),
      ...table(
        one.passages.map((passage) => [
          shortTime(passage.start * 1000),
          texts.headOf(one, passage),
          quoted(passage.quote, texts.noteOf(passage, passage.children)),
        ]),
      ),
    ]),
    ...(report.comments.length > 0
      ? [
          section(words.comments),
          ...table(
            report.comments.map((one) => [
              one.reply ? '' : shortTime(one.start * 1000),
              nameOf(one.reviewerId),
              quoted(one.reply ? '' : one.quote, texts.noteOf(one)),
            ]),
          ),
        ]
      : []),
  ];
  return { title, blocks };
}
