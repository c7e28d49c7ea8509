import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import {
  authorsOf,
  changesBetween,
  changesSince,
  goOn,
  stateOf,
  type ChangedPiece,
  type ChangedSegment,
  type Hands,
} from './changes.ts';
import { merge, readSegments, replaceRanges, setSpeaker, split, textOf } from './transcript.ts';
import { Spans } from './spans.ts';

// ---- A log as rooms have it ----------------------------------------------------------------------

interface Row {
  userId: string | null;
  updates: Uint8Array[];
}

/** People on one text, each with their own document; each change is a row, in order of arrival. */
class Meeting {
  readonly rows: Row[] = [];
  readonly written: Hands = new Spans();
  private readonly docs = new Map<string, Y.Doc>();
  private readonly heard = new Map<string, number>();

  constructor(text: string) {
    const machine = new Y.Doc();
    textOf(machine).insertEmbed(0, { s: 'one', p: 'voice' });
    textOf(machine).insert(1, text);
    this.rows.push({ userId: null, updates: [Y.encodeStateAsUpdate(machine)] });
  }

  doc(who: string): Y.Doc {
    let doc = this.docs.get(who);
    if (!doc) {
      this.docs.set(who, (doc = new Y.Doc()));
      this.written.add(doc.clientID, 0, Infinity, who);
    }
    return doc;
  }

  /** Applies the rows so far; `upTo` simulates a slow connection. */
  hear(who: string, upTo = this.rows.length): Y.Doc {
    const doc = this.doc(who);
    for (const { updates } of this.rows.slice(this.heard.get(who) ?? 0, upTo))
      for (const update of updates) Y.applyUpdate(doc, update);
    this.heard.set(who, Math.max(upTo, this.heard.get(who) ?? 0));
    return doc;
  }

  /** Makes a change on the rows a person has received. */
  does(who: string, work: (doc: Y.Doc) => void): void {
    const doc = this.doc(who);
    const updates: Uint8Array[] = [];
    const take = (update: Uint8Array) => updates.push(update);
    doc.on('update', take);
    doc.transact(() => work(doc));
    doc.off('update', take);
    if (updates.length > 0) this.rows.push({ userId: who, updates });
  }

  /** Document built from the first rows. */
  at(rows: number, gc = true): Y.Doc {
    const doc = new Y.Doc({ gc });
    for (const { updates } of this.rows.slice(0, rows)) for (const update of updates) Y.applyUpdate(doc, update);
    return doc;
  }

  changes(from: number, to = this.rows.length): ChangedSegment[] {
    const was = this.at(from);
    const doc = new Y.Doc({ gc: false });
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(was));
    const gone: Hands = new Spans();
    goOn(doc, this.rows.slice(from, to), gone);
    return changesSince(doc, stateOf(was), this.written, gone);
  }
}

const find = (doc: Y.Doc, word: string): number => {
  const segment = readSegments(doc).find(({ text }) => text.includes(word));
  if (!segment) throw new Error(`no ${word}`);
  return segment.start + segment.text.indexOf(word);
};
const edit = (doc: Y.Doc, word: string, now: string) =>
  replaceRanges(doc, [{ at: find(doc, word), remove: word.length, insert: now === '' ? [] : [now] }], 'test');
const put = (doc: Y.Doc, before: string, letters: string) => textOf(doc).insert(find(doc, before), letters);

/** `the [-old-] {+new+:ann,ben} one`. */
const show = (segments: readonly ChangedSegment[]): string =>
  segments
    .map(({ pieces }) =>
      pieces
        .map(({ kind, text, by = [] }) => {
          const who = by.length > 0 ? `:${by.join(',')}` : '';
          return kind === 'same' ? text : kind === 'gone' ? `[-${text}-${who}]` : `{+${text}+${who}}`;
        })
        .join(''),
    )
    .join(' | ')
    .replaceAll('\n', '¶');

const textIs = (pieces: readonly ChangedPiece[], without: ChangedPiece['kind']) =>
  pieces.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('');

describe('changes between two states', () => {
  const said = 'I keep putting off a conversion with my manager';

  it.each<[string, (meeting: Meeting) => void, string]>([
    [
      'one word, by one person',
      (m) => (m.hear('ann'), m.does('ann', (doc) => edit(doc, 'conversion', 'conversation'))),
      'I keep putting off a [-conversion-:ann]{+conversation+:ann} with my manager',
    ],
    [
      'one word, by two who wrote in it: both are named',
      (m) => {
        m.hear('ann');
        m.does('ann', (doc) => edit(doc, 'ion with', ' with'));
        m.hear('ben');
        m.does('ben', (doc) => put(doc, ' with', 'at'));
        m.hear('ann');
        m.does('ann', (doc) => put(doc, ' with', 'ion'));
      },
      'I keep putting off a [-conversion-:ann]{+conversation+:ann,ben} with my manager',
    ],
    [
      'letters put into a word: who took none away is not said to have',
      (m) => (
        m.hear('ann'),
        m.does('ann', (doc) => put(doc, 'sion', 'X')),
        m.hear('ben'),
        m.does('ben', (doc) => put(doc, 'sion', 'Y'))
      ),
      'I keep putting off a [-conversion-:ann,ben]{+converXYsion+:ann,ben} with my manager',
    ],
    [
      'letters taken out of a word: whoever took them',
      (m) => (m.hear('ann'), m.does('ann', (doc) => edit(doc, 'sion', ''))),
      'I keep putting off a [-conversion-:ann]{+conver+:ann} with my manager',
    ],
    [
      'new words beside each other, each by whoever wrote it',
      (m) => {
        m.hear('ann');
        m.hear('ben');
        m.does('ann', (doc) => put(doc, 'putting', 'really '));
        m.hear('ben');
        m.does('ben', (doc) => put(doc, 'putting', 'truly '));
      },
      'I keep {+really +:ann}{+truly +:ben}putting off a conversion with my manager',
    ],
    [
      'words at the end',
      (m) => (m.hear('ben'), m.does('ben', (doc) => textOf(doc).insert(textOf(doc).length, ', again'))),
      'I keep putting off a conversion with my manager{+, again+:ben}',
    ],
    [
      'a passage that two people deleted parts of',
      (m) => {
        m.hear('ann');
        m.does('ann', (doc) => edit(doc, 'putting ', ''));
        m.hear('ben');
        m.does('ben', (doc) => edit(doc, 'off ', ''));
      },
      'I keep [-putting -:ann][-off -:ben]a conversion with my manager',
    ],
    [
      'deleted by both at once: by the one whose deletion came first',
      (m) => {
        m.hear('ann');
        m.hear('ben');
        m.does('ann', (doc) => edit(doc, 'off ', ''));
        m.does('ben', (doc) => edit(doc, 'off ', ''));
      },
      'I keep putting [-off -:ann]a conversion with my manager',
    ],
    [
      'written and taken back: nothing',
      (m) => {
        m.hear('ann');
        m.does('ann', (doc) => put(doc, 'off ', 'never '));
        m.does('ann', (doc) => edit(doc, 'never ', ''));
      },
      'I keep putting off a conversion with my manager',
    ],
    [
      'the same written anew: nothing to be seen',
      (m) => {
        m.hear('ann');
        m.does('ann', (doc) => edit(doc, 'off', ''));
        m.does('ann', (doc) => edit(doc, 'putting ', 'putting off'));
      },
      'I keep putting off a conversion with my manager',
    ],
  ])('%s', (_when, work, shown) => {
    const meeting = new Meeting(said);
    work(meeting);
    expect(show(meeting.changes(1))).toBe(shown);
  });

  it('name neither the recogniser nor unknown authors', () => {
    const meeting = new Meeting(said);
    meeting.rows.push(meeting.rows.shift() as Row);
    expect(show(meeting.changes(0))).toBe(`{+${said}+}`);
    expect(meeting.changes(0)[0]).toMatchObject({ id: 'one', split: true, changed: true });
  });

  it('show splits, merges, and changes of speaker', () => {
    const meeting = new Meeting(said);
    meeting.hear('ann');
    meeting.does('ann', (doc) => split(doc, 1 + said.indexOf('a conv'), 'test', 'other'));
    const [first, second] = meeting.changes(1);
    expect([first, second]).toMatchObject([
      { id: 'one', changed: false },
      {
        split: true,
        speaker: 'other',
        changed: true,
        pieces: [{ kind: 'same', text: 'a conversion with my manager' }],
      },
    ]);
    const middle = meeting.rows.length;
    meeting.does('ann', (doc) => setSpeaker(doc, second?.id ?? '', 'one', 'third', 'test'));
    expect(meeting.changes(middle)[1]).toMatchObject({ speaker: 'third', speakerBefore: 'other', changed: true });
    meeting.does('ann', (doc) => merge(doc, second?.id ?? '', 'test'));
    expect(show(meeting.changes(middle))).toBe('I keep putting off [-¶-:ann]a conversion with my manager');
  });

  it('compare scripts without blanks character by character', () => {
    const meeting = new Meeting('今天天气很好');
    meeting.hear('ann');
    meeting.does('ann', (doc) => edit(doc, '很', '真'));
    expect(show(meeting.changes(1))).toBe('今天天气[-很-:ann]{+真+:ann}好');
  });

  it('never cut a surrogate pair', () => {
    const meeting = new Meeting('so 🎉 there');
    meeting.hear('ann');
    meeting.does('ann', (doc) => edit(doc, '🎉', '🎈'));
    expect(show(meeting.changes(1))).toBe('so [-🎉-:ann]{+🎈+:ann} there');
  });
});

describe('authors of words', () => {
  it('are all who wrote letters of a word, and nobody for the recogniser', () => {
    const meeting = new Meeting('we need a plan');
    meeting.hear('ann');
    meeting.does('ann', (doc) => textOf(doc).insert(textOf(doc).length, 'n'));
    meeting.hear('ben');
    meeting.does('ben', (doc) => textOf(doc).insert(textOf(doc).length, 'ed'));
    meeting.hear('chen');
    meeting.does('chen', (doc) => textOf(doc).insert(textOf(doc).length, ' day'));
    const [segment] = authorsOf(meeting.at(meeting.rows.length), meeting.written);
    expect(segment?.pieces).toEqual([
      { kind: 'same', text: 'we need a ' },
      { kind: 'same', text: 'planned ', by: ['ann', 'ben'] },
      { kind: 'same', text: 'day', by: ['chen'] },
    ]);
  });
});

describe('two states without a common history', () => {
  const compare = (was: string[], is: string[], same = true) => {
    const written: Hands = new Spans();
    const docs = [was, is].map((texts, which) => {
      const doc = new Y.Doc();
      texts.forEach((text, i) => {
        textOf(doc).insertEmbed(textOf(doc).length, { s: same ? text.slice(0, 1) : `${which}${i}`, p: '' });
        textOf(doc).insert(textOf(doc).length, text);
      });
      if (which === 1) written.add(doc.clientID, 0, Infinity, 'ben');
      return doc;
    });
    return show(changesBetween(docs[0] as Y.Doc, docs[1] as Y.Doc, written, 'ann'));
  };

  it.each([
    ['a word', ['one two three'], ['one 2 three'], 'one [-two-:ann]{+2+:ben} three'],
    ['nothing', ['one two'], ['one two'], 'one two'],
    ['a passage', ['one', 'two b', 'three'], ['one', 'x three'], 'one | [-¶two b¶-:ann]{+x +:ben}three'],
    ['one more', ['a one', 'c three'], ['a one', 'b two', 'c three'], 'a one | {+b two+:ben} | c three'],
    ['another order', ['a b', 'c d', 'e f'], ['c d', 'e f', 'a b'], '[-¶a b-:ann] | c d | e f | {+a b+:ben}'],
    ['everything', ['a b'], [], '[-¶a b-:ann]'],
  ])('%s', (_what, was, is, shown) => {
    expect(compare(was, is)).toBe(shown);
  });

  it('are compared in words even if no segment is the same', () => {
    expect(compare(['so it is'], ['so it was'], false)).toBe('[-¶so it is-:ann]{+so it was+:ben}');
  });
});

// ---- Random edits of three people --------------------------------------------------------------

/** Separate alphabets, so that each letter shows its author. */
const alphabets: Record<string, string> = { ann: 'abcdefgh', ben: 'ABCDEFGH', chen: 'абвгдежз' };
const ownerOf = (letter: string) => Object.keys(alphabets).find((who) => alphabets[who]?.includes(letter)) ?? null;

function random(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

function history(seed: number, steps: number): Meeting {
  const pick = random(seed);
  const meeting = new Meeting('12 345 6789 01 234 5678 90123');
  const people = Object.keys(alphabets);
  for (const who of people) meeting.hear(who);
  for (let step = 0; step < steps; step += 1) {
    const who = people[pick(people.length)] ?? 'ann';
    // A slow connection makes consecutive edits concurrent.
    if (pick(3) > 0) meeting.hear(who, meeting.rows.length - pick(2));
    meeting.does(who, (doc) => {
      const text = textOf(doc);
      const letters = alphabets[who] ?? '';
      const at = 1 + pick(text.length);
      if (pick(10) < 6) {
        const length = 1 + pick(4);
        const word = Array.from({ length }, () => (pick(5) === 0 ? ' ' : letters[pick(letters.length)])).join('');
        text.insert(at, word);
      } else if (pick(8) === 0) text.insertEmbed(at, { s: `s${seed}-${step}`, p: '' });
      else text.delete(at, Math.min(text.length - at, 1 + pick(5)));
    });
  }
  return meeting;
}

/** Person who deleted each character, found by replaying the log in order. */
function takersOf(meeting: Meeting, from: number): Map<string, string | null> {
  const doc = meeting.at(from);
  const takers = new Map<string, string | null>();
  for (const { userId, updates } of meeting.rows.slice(from)) {
    const before = lettersOf(doc);
    for (const update of updates) Y.applyUpdate(doc, update);
    const after = new Set(lettersOf(doc).map(({ id }) => id));
    for (const { id } of before) if (!after.has(id)) takers.set(id, userId);
  }
  return takers;
}

interface Letter {
  id: string;
  letter: string;
}

function lettersOf(doc: Y.Doc): Letter[] {
  const found: Letter[] = [];
  for (let item = textOf(doc)._start; item; item = item.right) {
    if (item.deleted || !item.countable) continue;
    const letters = item.content instanceof Y.ContentString ? item.content.str : '\n'.repeat(item.length);
    for (const [i, letter] of [...letters].entries())
      found.push({ id: `${item.id.client} ${item.id.clock + i}`, letter });
  }
  return found;
}

describe('random histories of three people', () => {
  const seeds = Array.from({ length: 60 }, (_, i) => i + 1);

  it('name for each word exactly the authors of its letters', () => {
    let shared = 0;
    for (const seed of seeds) {
      const meeting = history(seed, 60);
      const doc = meeting.at(meeting.rows.length);
      const segments = authorsOf(doc, meeting.written);
      expect(segments.map(({ pieces }) => textIs(pieces, 'gone'))).toEqual(readSegments(doc).map(({ text }) => text));
      for (const { text, by = [] } of segments.flatMap(({ pieces }) => pieces))
        for (const word of text.split(/\s+/).filter(Boolean)) {
          const owners = [...new Set([...word].map(ownerOf))].filter((one) => one !== null).toSorted();
          if (owners.length > 1) shared += 1;
          expect(by, `seed ${seed}: ${word}`).toEqual(owners);
        }
    }
    // Control: naming only the last author would fail.
    const control = history(1, 60);
    const everything: Hands = new Spans();
    for (const who of Object.keys(alphabets)) everything.add(control.doc(who).clientID, 0, Infinity, 'chen');
    const named = authorsOf(control.at(control.rows.length), everything).flatMap(({ pieces }) => pieces);
    expect(named.some(({ text, by }) => by && [...text].some((one) => !['chen', null].includes(ownerOf(one))))).toBe(
      true,
    );
    // Words of several authors are frequent here.
    expect(shared).toBeGreaterThan(seeds.length);
  });

  it('give between any two states both exact texts and everybody who changed a word', () => {
    for (const seed of seeds) {
      const meeting = history(seed, 60);
      const pick = random(seed + 1000);
      const to = 2 + pick(meeting.rows.length - 1);
      const from = 1 + pick(to - 1);
      const [was, is] = [meeting.at(from), meeting.at(to)];
      const segments = meeting.changes(from, to);
      expect(segments.map((segment) => textIs(segment.pieces, 'gone'))).toEqual(
        readSegments(is).map(({ text }) => text),
      );
      const flat = readSegments(was).map(({ text }) => text);
      const shownBefore = segments
        .map((one, i) => (i > 0 && !one.split ? '\n' : '') + textIs(one.pieces, 'new'))
        .join('');
      expect(shownBefore, `seed ${seed}`).toBe(flat.join('\n'));

      // Inserted and deleted letters by their ids: each word names exactly their authors.
      const takers = takersOf(meeting, from);
      const [old, now] = [lettersOf(was), lettersOf(is)];
      const [known, stands] = [idsOf(old), idsOf(now)];
      const news = handsOn(segments, 'gone', now, ({ id, letter }) => (known.has(id) ? undefined : ownerOf(letter)));
      const olds = handsOn(segments, 'new', old, ({ id }) => (stands.has(id) ? undefined : takers.get(id)));
      for (const { piece, hands } of [...news, ...olds])
        if (hands.length > 0) expect(piece.by ?? [], `seed ${seed}: ${piece.text}`).toEqual(hands);
    }
  });
});

const idsOf = (letters: readonly Letter[]) => new Set(letters.map(({ id }) => id));

/** Changed pieces of one text, with all authors of changed letters; blanks do not count. */
function handsOn(
  segments: readonly ChangedSegment[],
  without: ChangedPiece['kind'],
  letters: readonly Letter[],
  handOf: (letter: Letter) => string | null | undefined,
): { piece: ChangedPiece; hands: string[] }[] {
  const rest = letters.filter(({ letter }) => letter !== '\n');
  let at = 0;
  return segments
    .flatMap(({ pieces }) => pieces)
    .filter(({ kind }) => kind !== without)
    .flatMap((piece) => {
      const { length } = piece.text.replaceAll('\n', '');
      const own = rest.slice(at, (at += length));
      expect(own.map(({ letter }) => letter).join('')).toBe(piece.text.replaceAll('\n', ''));
      const hands = own.flatMap((letter) => (letter.letter.trim() === '' ? [] : [handOf(letter) ?? null]));
      return piece.kind === 'same'
        ? []
        : [{ piece, hands: [...new Set(hands.filter((one) => one !== null))].toSorted() }];
    });
}
