import { describe, expect, test } from 'vitest';
import type { ImportFormat } from './formats.ts';
import { OtherFormat, readTranscript } from './read.ts';
import { decodeText, InvalidTranscript, most, textSource, type Source } from './source.ts';
import type { ImportNote } from './notes.ts';
import type { Imported } from './spread.ts';

const read = (format: ImportFormat, text: string, mediaMs?: number): Imported =>
  readTranscript(textSource(text), format, { mediaMs });

const failure = (work: () => unknown): InvalidTranscript => {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidTranscript) return error;
    throw error;
  }
  throw new Error('nothing was wrong with it');
};

const codes = ({ notes }: Imported): ImportNote['code'][] => notes.map(({ code }) => code);
const texts = ({ seed }: Imported) => seed.segments.map(({ text }) => text);

const otter = 'Ann  0:00  \nGood morning.\n\nBen  0:07  \nYes.\n\nAnn  0:09  \nSo it is.\n';
const zoom = 'WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nAnn: Hello.\n';
const turboscribe = '[Ann] (0:00 - 0:02)\nHello.\n\n[Ben] (0:02 - 0:03)\nYes.\n';
const rev = 'Ann (00:00:02):\nHello.\n\nBen (00:00:04):\nYes.\n';
const rae = '[00:00:02.340 - 00:00:07.850] Ann:\nHello.\n';
const trme = 'S1: 00:00:01 Hello.\nS2: 00:00:03 Yes.\n';
const whole: [ImportFormat, string][] = [
  ['OTTERAI', otter],
  ['ZOOM', zoom],
  ['TURBOSCRIBE', turboscribe],
  ['REV', rev],
  ['RAE', rae],
  ['TRME', trme],
];

describe('a file in another format than the chosen one', () => {
  const pairs = whole.flatMap(([format, text]) =>
    whole.flatMap(([chosen]) => (chosen === format ? [] : [{ chosen, format, text }])),
  );
  test.each(pairs)('$format as $chosen: the right one is named', ({ chosen, format, text }) => {
    const error = failure(() => read(chosen, text));
    expect(error).toBeInstanceOf(OtherFormat);
    expect(error).toMatchObject({ looksLike: format });
    expect(error.message).toMatch(/^Invalid transcript: line \d+: expected .+; this looks like \w+/);
  });
});

describe('errors have a line and what was expected', () => {
  test.each<[string, ImportFormat, string, number | null, RegExp]>([
    ['nothing at all', 'REV', '', 1, /empty/],
    ['only empty lines', 'OTTERAI', '\n \n\t\n', 1, /empty/],
    ['words without any head', 'OTTERAI', '\n\nHello there.\nAnd more.', 3, /"Maria Lopez {2}0:34"/],
    ['words without any head', 'REV', 'Hello there.', 1, /"Maria Lopez \(00:00:02\):"/],
    ['words without any head', 'TRME', 'Hello there.', 1, /"S1: 00:00:01"/],
    ['words without any head', 'RAE', '# Title\nHello there.', 1, /"\[00:00:02\.340 - 00:00:07\.850\] Maria Lopez:"/],
    ['VTT without cues', 'ZOOM', 'WEBVTT\n\nNOTE nothing\n', 1, /-->/],
    ['no VTT', 'ZOOM', 'Hello there.', 1, /WEBVTT in the first line/],
    ['nothing but a banner', 'TURBOSCRIBE', '(Transcribed by TurboScribe. Go Unlimited.)', 1, /\[Speaker 1\]/],
    ['heads without words', 'OTTERAI', 'Ann  0:00  \n\nBen  0:05  \n', 1, /words below it/],
    [
      'times that run backwards again and again',
      'OTTERAI',
      'A  9:00  \na\n\nB  8:00  \nb\n\nA  9:10  \nc\n\nB  7:00  \nd\n\nA  9:20  \ne\n\nB  6:00  \nf\n',
      16,
      /backwards/,
    ],
  ])('%s as %s', (_, format, text, line, expected) => {
    const error = failure(() => read(format, text));
    expect(error.line).toBe(line);
    expect(error.expected).toMatch(expected);
    expect(error.message.startsWith('Invalid transcript: ')).toBe(true);
  });

  test('too many words, lines or speakers', () => {
    expect(failure(() => read('TURBOSCRIBE', 'a '.repeat(most.words + 1))).message).toContain(`${most.words} words`);
    expect(failure(() => read('TURBOSCRIBE', '\n'.repeat(most.lines + 1))).message).toContain(`${most.lines} lines`);
    const crowd = Array.from({ length: most.speakers + 1 }, (_, i) => `Person ${i} (00:00:02):\nHello.\n`).join('\n');
    expect(failure(() => read('REV', crowd)).message).toContain(`${most.speakers} speakers`);
  });

  test('bytes that are not text', () => {
    expect(failure(() => decodeText(Buffer.from([0x61, 0x0a, 0x62, 0xff, 0x63]))).line).toBe(2);
    expect(failure(() => decodeText(Buffer.from('a\n\nb\0c'))).line).toBe(3);
    expect(decodeText(Buffer.from('\uFEFFÄ', 'utf16le'))).toBe('Ä');
    expect(decodeText(Buffer.from('\uFEFFÄ'))).toBe('Ä');
  });
});

describe('files that are read with a note', () => {
  test('a clock that jumps back once', () => {
    const imported = read('OTTERAI', 'A  0:10  \na b\n\nB  0:05  \nc d\n\nA  0:20  \ne\n');
    expect(imported.notes).toEqual([{ code: 'backwards', line: 4 }]);
    expect(imported.seed.segments[1]?.words[0]?.f).toBe(10);
  });

  test('one time that jumps ahead: it alone is noted, and the following times stay', () => {
    const times = ['0:00', '0:50', '0:10', '0:20', '0:30'];
    const imported = read('OTTERAI', times.map((time) => `A  ${time}  \na b\n`).join('\n'));
    expect(imported.notes).toEqual([{ code: 'backwards', line: 4 }]);
    const begins = imported.seed.segments.map(({ words }) => words[0]?.f ?? -1);
    expect([begins[0], ...begins.slice(2)]).toEqual([0, 10, 20, 30]);
    expect(begins[1]).toBeGreaterThan(0);
    expect(begins[1]).toBeLessThan(10);
  });

  test('two times in a row that jump ahead: the clock jumped back once', () => {
    const times = ['0:00', '0:50', '0:51', '0:10', '0:20', '0:30', '1:00'];
    const imported = read('OTTERAI', times.map((time) => `A  ${time}  \na b\n`).join('\n'));
    expect(imported.notes).toHaveLength(1);
    const begins = imported.seed.segments.map(({ words }) => words[0]?.f ?? -1);
    expect(begins).toEqual(begins.toSorted((one, other) => one - other));
    expect(begins.at(-1)).toBe(60);
  });

  test('times after the end of the recording', () => {
    expect(codes(read('OTTERAI', otter, 6_000))).toEqual(['beyond']);
    expect(codes(read('OTTERAI', otter, 7_500))).toEqual([]);
  });

  test('lines before the first head', () => {
    const imported = read('OTTERAI', `Some words\nof somebody\n\n${otter}`);
    expect(imported.notes).toEqual([{ code: 'skipped', count: 2 }]);
  });

  test('a file more like another format', () => {
    const text = `Ann (00:00:02):\nHello.\n\n${'Ben: 00:05 Yes.\n'.repeat(2)}`;
    expect(codes(read('REV', text))).toEqual([]);
    const mixed = `${rev}\n[Ann] (0:00 - 0:02)\nx\n\n${'[Ben] (0:02 - 0:03)\nYes.\n\n'.repeat(5)}`;
    expect(read('REV', mixed).notes).toContainEqual({ code: 'looksLike', format: 'TURBOSCRIBE' });
  });

  test('no times at all: words are spread over the recording', () => {
    const imported = read('REV', 'Ann:\none two three four\n\nBen:\nfive six seven eight\n', 80_000);
    expect(codes(imported)).toEqual(['untimed']);
    expect(imported.until).toBe(80_000);
    const [first, second] = imported.seed.segments;
    expect(first?.words[0]?.f).toBe(0);
    expect(second?.words[0]?.f).toBeGreaterThan(30);
    expect(second?.words[0]?.f).toBeLessThan(45);
  });
});

describe('words', () => {
  test('have estimated times, marked as such', () => {
    for (const [format, text] of whole)
      for (const { words } of read(format, text).seed.segments)
        for (const word of words) expect(word).toMatchObject({ estimated: true });
  });

  test('stay between the times a file gives', () => {
    const text = 'Ann (00:00:10):\nSo we [crosstalk 00:00:14] begin again with the plan.\n\nBen (00:00:20):\nYes.\n';
    const words = read('REV', text).seed.segments[0]?.words ?? [];
    const at = (w: string) => words.find((word) => word.w === w)?.f ?? 0;
    expect(at('So')).toBe(10);
    expect(at('[crosstalk')).toBe(14);
    expect(words.filter(({ t }) => t > 14 && t <= 20)).toHaveLength(7);
  });

  test('are no longer than usual speech if the next time is far away', () => {
    const text = 'Ann  0:00  \nOne two.\n\nBen  9:00  \nYes.\n';
    expect(read('OTTERAI', text).seed.segments[0]?.words.at(-1)?.t).toBeLessThanOrEqual(1.9);
  });

  test('are found in scripts without blanks, and the text is unchanged', () => {
    const [segment] = read('ZOOM', 'WEBVTT\n\n1\n00:00:00.000 --> 00:00:10.000\n王伟：今天我们讨论计划。\n').seed
      .segments;
    expect(segment?.text).toBe('今天我们讨论计划。');
    expect(segment?.words.length).toBeGreaterThan(3);
    expect(segment?.words.map(({ w }) => w).join('')).toBe('今天我们讨论计划。');
    expect(segment?.words.map(({ p }) => p ?? false)).toEqual(segment?.words.map((_, i) => i > 0));
  });

  test('have one blank between them, whatever the blanks of the file', () => {
    expect(texts(read('OTTERAI', 'Ann  0:00  \n  So \t we\u00A0\u00A0 begin .  \n'))).toEqual(['So we begin .']);
  });
});

/** Speaker and text of each segment. */
const saidBy = ({ seed }: Imported): [string, string][] => {
  const names = new Map(seed.speakers.map(({ id, name }) => [id, name]));
  return seed.segments.map(({ speaker, text = '' }) => [names.get(speaker) ?? '', text]);
};
const cues = (...said: string[]): string =>
  `WEBVTT\n\n${said.map((text, i) => `${i + 1}\n00:00:${10 + i}.000 --> 00:00:${10 + i}.900\n${text}\n`).join('\n')}`;

describe('names and speech', () => {
  test('of Zoom: a name alone is a speaker who says nothing', () => {
    expect(saidBy(read('ZOOM', cues('Ann: Good morning.', 'Sam:', 'Ann: So it is.', 'Sam:', 'Sam: Yes.')))).toEqual([
      ['Ann', 'Good morning.'],
      ['Ann', 'So it is.'],
      ['Sam', 'Yes.'],
    ]);
  });

  test.each(['Note', 'Question', 'Nota', 'Вопрос', '注意'])(
    'of Zoom: “%s:” is speech, unless it often speaks',
    (word) => {
      const said = (count: number) => [
        'Maria Lopez: Thanks for joining.',
        ...Array.from({ length: count }, () => `${word}: call back.`),
        'Tom: Yes.',
      ];
      expect(saidBy(read('ZOOM', cues(...said(1))))).toEqual([
        ['Maria Lopez', 'Thanks for joining.'],
        ['', `${word}: call back.`],
        ['Tom', 'Yes.'],
      ]);
      expect(saidBy(read('ZOOM', cues(...said(3))))[1]?.[0]).toBe(word);
      // Nor is it the name of who begins.
      expect(saidBy(read('ZOOM', cues(`${word}: call back.`, 'so it goes')))[0]?.[0]).toBe('');
    },
  );

  test('of Zoom: somebody who speaks once, where a cue has no name', () => {
    expect(saidBy(read('ZOOM', cues('Maria Lopez: Thanks.', 'Tom: Yes.', 'and so on'))).map(([name]) => name)).toEqual([
      'Maria Lopez',
      'Tom',
      '',
    ]);
  });

  test.each(['Let us meet at 4:15', 'Meet Ann 4:15', '4:15'])(
    'of Otter: “%s” takes nothing from the head after it',
    (text) => {
      const heads = [
        '**Ann** 0:10',
        'Hello there.',
        text,
        '**Ben** 0:20',
        'Fine.',
        '**Ann** 0:30',
        'Bye.',
        '**Ben** 0:40',
        'Bye.',
      ];
      const docx: Source = {
        kind: 'docx',
        lines: heads.map((line, i) => ({ number: i + 1, text: line.replaceAll('**', ''), fresh: true })),
        carried: null,
      };
      const expected = [
        ['Ann', 'Hello there.'],
        ['Ann', text],
        ['Ben', 'Fine.'],
        ['Ann', 'Bye.'],
        ['Ben', 'Bye.'],
      ];
      expect(saidBy(readTranscript(docx, 'OTTERAI'))).toEqual(expected);
      // In a text, a time alone is the head of somebody unknown.
      if (text === '4:15') return;
      const edited = `**Ann** 0:10\nHello there.\n\n${text}\n\n**Ben** 0:20\nFine.\n\n**Ann** 0:30\nBye.\n\n**Ben** 0:40\nBye.\n`;
      expect(saidBy(read('OTTERAI', edited))).toEqual(expected);
    },
  );

  test('of Otter: a head of small letters is one where nothing else is', () => {
    expect(saidBy(read('OTTERAI', 'interviewer 0:10\nHello.\n'))).toEqual([['interviewer', 'Hello.']]);
  });

  test('of Rev: brackets belong to a name, and times in what is said make no speaker', () => {
    const timed =
      'Ann (she/her) (00:00:02):\nHello. We said:\n\nNote:\ncall back.\n\nSam:\n\nBen [guest] (00:00:09): Yes.\n\nWe met (00:00:05): in May.\n';
    expect(saidBy(read('REV', timed))).toEqual([
      ['Ann (she/her)', 'Hello. We said:'],
      ['Ann (she/her)', 'Note: call back.'],
      ['Ben [guest]', 'Yes.'],
      ['Ben [guest]', 'We met (00:00:05): in May.'],
    ]);
    const untimed = 'Ann (she/her):\nHello.\n\nNote:\ncall back.\n\nHere it is:\nthe list.\n\nBen [guest]:\nYes.\n';
    expect(saidBy(read('REV', untimed))).toEqual([
      ['Ann (she/her)', 'Hello.'],
      ['Ann (she/her)', 'Note: call back.'],
      ['Ann (she/her)', 'Here it is: the list.'],
      ['Ben [guest]', 'Yes.'],
    ]);
  });

  test('of TurboScribe and TranscribeMe: a remark names nobody', () => {
    expect(saidBy(read('TURBOSCRIBE', '[00:00:05] Speaker 1: Hello.\n[00:00:09] Note: call back.\n'))).toEqual([
      ['Speaker 1', 'Hello.'],
      ['', 'Note: call back.'],
    ]);
    expect(saidBy(read('TRME', 'S1: 00:00:01 Hello.\nPS: call back.\nPS: soon.\nS1: 00:00:03 Yes.\n'))).toEqual([
      ['S1', 'Hello. PS: call back. PS: soon.'],
      ['S1', 'Yes.'],
    ]);
  });

  test('of TranscribeMe: a cell with a sentence and a time is speech', () => {
    const row = (i: number, ...cells: string[]) => ({ number: i, text: cells.join('\t'), fresh: true, cells });
    const lines = [row(1, 'S1: 00:00:01', 'Hello.'), row(2, 'Let us meet at 4:15'), row(3, 'S2: 00:00:05', 'Yes.')];
    expect(saidBy(readTranscript({ kind: 'docx', lines, carried: null }, 'TRME'))).toEqual([
      ['S1', 'Hello. Let us meet at 4:15'],
      ['S2', 'Yes.'],
    ]);
  });
});

describe('speakers', () => {
  test('are distinguished without regard to case, and coloured in order of appearance', () => {
    const { seed } = read(
      'OTTERAI',
      'ANN lee  0:00  \na\n\nBen  0:01  \nb\n\nAnn Lee  0:02  \nc\n\nunidentified  0:03  \nd\n',
    );
    expect(seed.speakers.map(({ name, color, sortId }) => [name, color, sortId])).toEqual([
      ['ANN lee', 0, 0],
      ['Ben', 1, 1],
    ]);
    expect(seed.segments.map(({ speaker }) => seed.speakers.findIndex(({ id }) => id === speaker))).toEqual([
      0, 1, 0, -1,
    ]);
  });

  test('of six and more share colours', () => {
    const text = Array.from({ length: 7 }, (_, i) => `P${i}  0:0${i}  \nx\n`).join('\n');
    expect(read('OTTERAI', text).seed.speakers.map(({ color }) => color)).toEqual([0, 1, 2, 3, 4, 0, 1]);
  });

  test('of Zoom: cues of single words become one segment, each word with its own times', () => {
    const said = ['Ann: So', 'Ann: I', 'Ann: think,', 'Ann: yes.', 'Tom: Right.', 'Ann: Good.'];
    const cues = said.map((cue, i) => `${i + 1}\n00:00:0${i}.000 --> 00:00:0${i}.400\n${cue}\n`);
    const { seed } = read('ZOOM', `WEBVTT\n\n${cues.join('\n')}`);
    expect(seed.segments.map(({ text }) => text)).toEqual(['So I think, yes.', 'Right.', 'Good.']);
    const words = seed.segments.flatMap((segment) => segment.words);
    expect(words.map(({ f, t }) => [f, t])).toEqual(said.map((_, i) => [i, i + 0.4]));
  });

  test.each<[string, string, string[]]>([
    ['a colon in what is said', 'Ann: Note: call back.', ['Note: call back.']],
    ['a sentence before the colon', 'We waited. Then it came: nothing.', ['We waited. Then it came: nothing.']],
    ['a time', 'At 5:30 we leave', ['At 5:30 we leave']],
    ['a name with a title', 'Dr. Ann Lee: Hello.', ['Hello.']],
    ['more words than a name has', 'this is what we all want now: peace', ['this is what we all want now: peace']],
  ])('of Zoom: %s', (_, cue, expected) => {
    expect(texts(read('ZOOM', `WEBVTT\n\n1\n00:00:00.000 --> 00:00:02.000\n${cue}\n`))).toEqual(expected);
  });
});
