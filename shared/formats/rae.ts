import type { Block, Remark, RemarkPlace } from './page.ts';
import { plainWords, type PrintedWords } from './printed.ts';
import { carriedNamespace } from './read-docx.ts';
import { InvalidTranscript, type Source } from './source.ts';
import { named, shielded, type SpokenDocument, type SpokenTurn } from './spoken.ts';
import { exactTime, readTime, wholeTime } from './times.ts';
import { Gathering, unknownSpeaker, unshielded, type Parsed } from './turns.ts';
import type { SaidLine, SaidList } from './said.ts';
import { escaped } from './xml.ts';

// Our own format: readable, and the same again after an import. A docx has hidden data with the time of each word;
// carried.ts restores it where the text is unchanged.

const head = /^\[(\d{2,3}:\d{2}:\d{2}\.\d{3}) - (\d{2,3}:\d{2}:\d{2}\.\d{3})\] (.{1,500}):$/;
const longestHead = 540;
const aboutText = /^(?:Date|Length|Speakers):/;
const factText = /^(?:Date|Length|Language):/;
/** Prefix of annotations above the text: for readers only, ignored on import. */
const saidMark = '>';
/** Text that looks like a head is escaped with one more backslash. */
const guarded = /^\\+(?=\[\d{2,3}:\d{2}:\d{2}\.\d{3} - )/;

export function readRae({ kind, lines, carried }: Source): Parsed {
  const gathering = new Gathering();
  let title = '';
  let lang = '';
  let skipped = 0;
  for (const line of lines) {
    if (line.aside) continue;
    const text = line.text.trim();
    const match = text.length <= longestHead ? head.exec(text) : null;
    const [from, to] = [readTime(match?.[1] ?? ''), readTime(match?.[2] ?? '')];
    if (match && from !== null && to !== null) {
      gathering.head(line.number, match[3] ?? '', from, Math.max(from, to));
      continue;
    }
    if (gathering.heads > 0) {
      gathering.text({ ...line, fresh: false }, guarded.test(text) ? text.slice(1) : line.text);
      continue;
    }
    // Facts before the first head.
    const fact = line.cells ? line.cells.join(' ') : text.startsWith('#') ? text.slice(1).trim() : null;
    if (line.cells ? line.cells[0]?.startsWith(saidMark) : fact?.startsWith(saidMark)) continue;
    const language =
      fact === null || !factText.test(line.cells?.[0] ?? fact)
        ? null
        : /(?:^|\s)Language:\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)(?=\s|$)/.exec(fact);
    if (language) lang = language[1] ?? '';
    else if (fact !== null && aboutText.test(fact)) continue;
    else if (title === '' && (fact === null ? kind === 'docx' : !line.cells)) title = unshielded(fact ?? text);
    else if (fact === null) skipped += 1;
  }
  // A document for readers of another language names its facts in theirs.
  lang ||= /^[^>]*>?\s*<transcript [^>]*lang="([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)"/.exec(carried ?? '')?.[1] ?? '';
  if (gathering.heads === 0)
    throw new InvalidTranscript(
      lines[0]?.number ?? 1,
      'a line such as "[00:00:02.340 - 00:00:07.850] Maria Lopez:" before what she says',
    );
  return { ...gathering.parsed({ skipped, overlapping: true }), ...(title && { title }), ...(lang && { lang }) };
}

// ---- Writing ------------------------------------------------------------------------------------

const headOf = ({ name, from, to }: SpokenTurn): string =>
  `[${exactTime(from)} - ${exactTime(Math.max(from, to))}] ${named(name, unknownSpeaker, 100)}:`;

/** Escapes a first line that would be read as a head, or as an escaped one. */
const guard = (text: string): string =>
  (text.length <= longestHead && head.test(text)) || guarded.test(text) ? `\\${text}` : shielded(text, () => false);

/** Title that is not read as one of the lines below it. */
const guardedTitle = (title: string): string =>
  shielded(title, (text) => /^[#>]/.test(text) || aboutText.test(text) || factText.test(text) || head.test(text));

const facts = ({ lang, date, lasts }: SpokenDocument): string[][] => [
  ...(date === '' ? [] : [['Date:', date]]),
  ['Length:', wholeTime(lasts)],
  ...(lang === '' ? [] : [['Language:', lang]]),
];

/** Rows of annotations: list, time, text and author, quote. */
const saidRows = (said: readonly SaidList[]): string[][] =>
  said.flatMap(({ title, lines }) =>
    lines.flatMap(({ from, head, text, name, quote, was, answers }) => [
      [
        `${saidMark} ${title}`,
        from === null ? '' : wholeTime(from),
        [[head, text].filter(Boolean).join(': '), name].filter(Boolean).join(', '),
        quotedIn({ quote, was }),
      ],
      ...answers.map((answer) => [
        `${saidMark} ${title}`,
        '',
        [answer.name, answer.text].filter(Boolean).join(': '),
        '',
      ]),
    ]),
  );

export function writeRae(document: SpokenDocument, said: readonly SaidList[] = []): string {
  const { title, turns } = document;
  const top = [
    `# ${guardedTitle(title)}`,
    `# ${facts(document)
      .map(([name, value]) => `${name} ${value}`)
      .join('   ')}`,
    `# Speakers: ${document.voices.join('; ')}`,
    ...saidRows(said).map((cells) => `# ${cells.filter(Boolean).join('   ')}`),
    '',
  ];
  return [...top, ...turns.map((turn) => `${headOf(turn)}\n${guard(turn.text)}\n`)].join('\n');
}

/** The Word document: comments are those of Word, on their words; everything else that was annotated is above the text. */
export function writeRaeDocx(
  document: SpokenDocument,
  said: readonly SaidList[] = [],
  words: PrintedWords = plainWords,
): { blocks: Block[]; remarks: Remark[] } {
  const { lang, date, lasts, voices, turns } = document;
  const title = guardedTitle(document.title);
  const rows = [
    [words.date, date],
    [words.length, wholeTime(lasts)],
    [words.language, lang],
    [words.speakers, voices.join('; ')],
  ];
  const lists = said.filter((list) => list.of !== 'comments');
  const { remarks, placesOf } = remarksOf(
    turns,
    said.flatMap((list) => (list.of === 'comments' ? list.lines : [])),
  );
  const blocks: Block[] = [
    {
      ...{ kind: 'paragraph', style: 'title', text: title },
      remarks: placesOf(null).map((place) => ({ ...place, to: title.length })),
    },
    { kind: 'table', rows: rows.flatMap(([name = '', value = '']) => (value === '' ? [] : [[`${name}:`, value]])) },
    ...lists.flatMap(listBlocks),
    ...(lists.length > 0 ? [{ kind: 'paragraph', style: 'heading', text: words.transcript } as const] : []),
    ...turns.flatMap((turn): Block[] => {
      const text = guard(turn.text);
      const guards = text.length - turn.text.length;
      const places = placesOf(turn).map(({ from, to, ...place }) => ({
        from: from + guards,
        to: to + guards,
        ...place,
      }));
      return [
        { kind: 'paragraph', style: 'head', text: headOf(turn) },
        { kind: 'paragraph', style: 'text', text, remarks: places },
      ];
    }),
  ];
  return { blocks, remarks };
}

/** Points are paragraphs; what has a time or a quote is a row of a table. */
function listBlocks({ of, title, lines }: SaidList): Block[] {
  const heading: Block = { kind: 'paragraph', style: 'heading', text: title };
  if (of === 'summary')
    return [
      heading,
      ...lines.map(({ text }): Block => ({ kind: 'paragraph', style: 'aside', text: `\u2022 ${text}` })),
    ];
  const rows = lines.map(({ from, head: type, text, name, quote, was }) => [
    from === null ? '' : wholeTime(from),
    [[type, text].filter(Boolean).join(': '), name].filter(Boolean).join(', '),
    ...(of === 'contents' || of === 'grades' ? [] : [quotedIn({ quote, was })]),
  ]);
  return [heading, { kind: 'table', rows, wide: true }];
}

const quotedIn = ({ quote, was }: Pick<SaidLine, 'quote' | 'was'>): string =>
  [quote === '' ? '' : `“${quote}”`, was === '' ? '' : `(${was})`].filter(Boolean).join(' ');

/** Comments with their replies as remarks on the words they are about; of a transcript without words, on the title. */
function remarksOf(turns: readonly SpokenTurn[], lines: readonly SaidLine[]) {
  const remarks: Remark[] = [];
  const places = new Map<SpokenTurn | null, RemarkPlace[]>();
  for (const { from: at, name, text, quote, was, answers } of lines) {
    const first = remarks.length;
    remarks.push({ name, text: was === '' ? text : `${text} (${was})` }, ...answers);
    const turn = turnAt(turns, at ?? 0, quote);
    const begins = turn === null || quote === '' ? -1 : beginOf(turn, quote, at ?? 0);
    const [from, to] = begins < 0 ? [0, turn?.text.length ?? 0] : [begins, begins + quote.length];
    const place = { from, to, remarks: remarks.map((_, id) => id).slice(first) };
    places.set(turn, [...(places.get(turn) ?? []), place]);
  }
  return { remarks, placesOf: (turn: SpokenTurn | null) => places.get(turn) ?? [] };
}

/**
 * Position of the quoted words in the text of a paragraph; -1 if it has none. Of equal words, those whose first word is
 * spoken nearest to a time in milliseconds.
 */
function beginOf({ text, segment }: SpokenTurn, quote: string, at: number): number {
  const first = text.indexOf(quote);
  // Positions of words are those of the text as it was typed.
  if (first < 0 || text !== segment.text) return first;
  let [best, least] = [first, Infinity];
  let nth = 0;
  for (let begins = first; begins >= 0; begins = text.indexOf(quote, begins + 1)) {
    // Words and places are both in the order of the text; a place inside a word belongs to it.
    while ((segment.words[nth + 1]?.at ?? Infinity) <= begins) nth += 1;
    const word = segment.words[nth];
    const distance = word ? Math.abs(word.from - at) : Infinity;
    if (distance < least) [best, least] = [begins, distance];
  }
  return best;
}

/** The paragraph with the quoted words that is nearest to a time in milliseconds; else the one of that time. */
function turnAt(turns: readonly SpokenTurn[], at: number, quote: string): SpokenTurn | null {
  const holding = quote === '' ? [] : turns.filter(({ text }) => text.includes(quote));
  const distance = ({ from, to }: SpokenTurn) => Math.max(0, from - at, at - to);
  return (holding.length > 0 ? holding : turns).reduce<SpokenTurn | null>(
    (best, turn) => (best === null || distance(turn) < distance(best) ? turn : best),
    null,
  );
}

/** Hidden data: times of each word, and the speakers. */
export function carriedXml({ lang, speakers, tags, turns }: SpokenDocument): string {
  const people = speakers.map(
    ({ id, name, color, sortId }) =>
      `<speaker id="${escaped(id)}" name="${escaped(name)}" color="${color}" sort="${sortId}"/>`,
  );
  const labels = tags.map((tag) => `<tag>${escaped(tag)}</tag>`);
  // Segments whose text XML cannot represent exactly are left out: the positions of their words would be wrong.
  const holds = turns.filter(({ segment: { text } }) => !/[\p{Cc}\p{Surrogate}\uFFFE\uFFFF]/u.test(text));
  const segments = holds.map(({ id, speaker, segment }) => {
    const words = segment.words.map(({ at, text, from, to, flags, estimated, confidence }) =>
      [
        at,
        text.length,
        from,
        to - from,
        flags | (estimated ? 16 : 0),
        confidence === null ? '' : Math.round(confidence * 100),
      ].join(','),
    );
    return `<segment id="${escaped(id ?? '')}" speaker="${escaped(speaker)}"><text>${escaped(segment.text)}</text><words>${words.join(' ')}</words></segment>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<transcript xmlns="${carriedNamespace}" lang="${escaped(lang)}">${[...people, ...labels, ...segments].join('\n')}</transcript>`;
}
