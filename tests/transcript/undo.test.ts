// Undone edits leave no trace: neither in the text nor in anything attached to its letters.
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { anchorAt, placesOf, saidIn, stretchesOf, type Anchor } from '#shared/meetings/anchors.ts';
import { checkedOf, checkWords, findDoubts } from '#shared/meetings/doubts.ts';
import { addHighlight, readHighlights } from '#shared/meetings/entries.ts';
import { seedState, type SeedSegment } from '#shared/meetings/seed.ts';
import { readSegments, textOf } from '#shared/meetings/transcript.ts';
import { readWords, wordReader } from '#shared/meetings/words.ts';
import { Chance } from '../sim/chance.ts';
import { FlatPeer } from './flat-peer.ts';
import type { Place } from './peer.ts';

const talk = [
  'Good morning, how was the week?',
  'It was fine. We met on Thursday, and again on Thursday night.',
  'What did you take from it?',
  'That I speak too fast, mostly.',
  'And what will you do about it?',
  'Count to three, and breathe.',
];
/** One person edits before this segment, the other after it. */
const middle = 's3';

function recording(): Uint8Array {
  const segments = talk.map((said, i): SeedSegment => ({
    id: `s${i}`,
    speaker: i % 2 === 0 ? 'ann' : 'ben',
    text: said,
    words: said.split(' ').map((w, nth) => ({
      w: w.replace(/[,.?]$/, ''),
      f: i * 20 + nth,
      t: i * 20 + nth + 0.5,
      confidence: ((nth * 37) % 100) / 100,
    })),
  }));
  const doc = new Y.Doc();
  Y.applyUpdate(doc, seedState({ speakers: [], segments }));
  const { length } = textOf(doc);
  const reading = readWords(doc);
  for (let at = 3; at + 12 < length; at += 17)
    addHighlight(
      doc,
      { id: `h${at}`, color: 'green', anchor: anchorAt(doc, 1, at, at + 9), ...saidIn(reading, at, at + 9) },
      'start',
    );
  checkWords(
    doc,
    reading.segments.flatMap(({ words }) => words.filter((_, nth) => nth % 5 === 1)),
    true,
    'start',
  );
  return Y.encodeStateAsUpdate(doc);
}

/** Anchors of every few letters, as of comments and outcomes, which are in other documents. */
function anchorsOf(doc: Y.Doc): Anchor[] {
  const anchors: Anchor[] = [];
  for (let at = 1; at + 7 < textOf(doc).length; at += 2) {
    const anchor = anchorAt(doc, 1, at, at + (at % 7) + 1);
    if (anchor) anchors.push(anchor);
  }
  return anchors;
}

/** All that people see of a transcript. */
function seen(doc: Y.Doc, anchors: readonly Anchor[]) {
  const reading = readWords(doc);
  return {
    // New segments have ids by chance.
    segments: readSegments(doc).map((segment) => ({
      ...segment,
      id: /^s\d$/.test(segment.id ?? '') ? segment.id : 'new',
    })),
    words: reading.segments.map(({ words, from, to }) => ({ words, from, to })),
    doubts: findDoubts(doc, reading),
    checked: checkedOf(doc).toJSON(),
    anchors: stretchesOf(doc, anchors),
    highlights: placesOf(doc, reading, 1, readHighlights(doc)),
  };
}

const pieces = ['a', 'be', ' see', 'dee, ', '. Eff', ' ', '你好', '😀'];

/** One action among some segments, counted from the first one or back from the last one. */
function act(peer: FlatPeer, chance: Chance, from: number, to: number): void {
  const shown = peer.shown();
  const count = to - from;
  const place = (): Place => {
    const segment = from + chance.between(0, count - 1);
    return { segment, offset: whole(shown[segment]?.text ?? '', chance) };
  };
  const range = (): [Place, Place] => {
    const [one, other] = [place(), place()];
    const near = chance.happens(0.8)
      ? { segment: one.segment, offset: whole(shown[one.segment]?.text ?? '', chance) }
      : other;
    const ascending = one.segment < near.segment || (one.segment === near.segment && one.offset <= near.offset);
    return ascending ? [one, near] : [near, one];
  };
  const kind = chance.between(1, 100);
  if (kind <= 20) peer.type(place(), chance.pick(pieces));
  else if (kind <= 45) peer.erase(...range());
  else if (kind <= 55) peer.typeOver(...range(), chance.pick(pieces));
  else if (kind <= 64) peer.split(place());
  else if (kind <= 74) {
    if (count > 1) peer.merge(from + chance.between(1, count - 1), chance.happens(0.5));
  } else if (kind <= 80) {
    const [begin, end] = range();
    peer.paste(begin, chance.happens(0.5) ? end : begin, [chance.pick(pieces), chance.pick(pieces)]);
  } else if (kind <= 88) {
    const letter = chance.pick(['e', 't', 'Thursday', ' ']);
    const found = shown.slice(from, to).flatMap(({ text }, nth) =>
      [...text.matchAll(new RegExp(letter, 'g'))].map(({ index }) => ({
        at: { segment: from + nth, offset: index },
        length: letter.length,
        text: chance.pick(pieces),
      })),
    );
    peer.replaceAll(found);
  } else if (kind <= 94) peer.speak(from + chance.between(0, count - 1), 'one', chance.pick(['ann', 'ben', 'cy']));
  else if (chance.happens(0.7)) peer.undo();
  else peer.redo();
}

/** An offset that cuts no character. */
function whole(text: string, chance: Chance): number {
  const list = [...text];
  return list.slice(0, chance.between(0, list.length)).join('').length;
}

const runs = Number(process.env['UNDO_SEEDS'] ?? 80);
const seeds = Array.from({ length: runs }, (_, index) => index + 1);

describe('after everything is undone', () => {
  test(`${runs} times: the letters are the same ones, for the person and for everybody else`, () => {
    for (const seed of seeds) {
      const chance = new Chance(seed);
      const start = recording();
      const peer = new FlatPeer(10, start, chance.happens(0.5) ? 0 : 1000);
      const other = new Y.Doc();
      Y.applyUpdate(other, start);
      peer.doc.on('update', (update: Uint8Array) => Y.applyUpdate(other, update));
      const anchors = anchorsOf(peer.doc);
      const before = seen(peer.doc, anchors);
      const read = wordReader(other);
      for (let steps = chance.between(1, 12); steps > 0; steps -= 1) {
        act(peer, chance, 0, peer.shown().length);
        if (chance.happens(0.3)) read();
      }
      while (peer.binding.undoManager.canUndo()) peer.undo();
      expect(peer.wrong(), `seed ${seed}`).toBeNull();
      expect(seen(peer.doc, anchors), `seed ${seed}`).toEqual(before);
      expect(seen(other, anchors), `seed ${seed}`).toEqual(before);
      expect(read().segments.map(({ words, from, to }) => ({ words, from, to }))).toEqual(before.words);
      const late = new Y.Doc();
      Y.applyUpdate(late, Y.encodeStateAsUpdate(peer.doc));
      expect(seen(late, anchors), `seed ${seed}`).toEqual(before);
      // Anchors made now are those of the same letters.
      expect(anchorsOf(late), `seed ${seed}`).toEqual(anchors);
    }
  });

  test(`${runs} times: only what another person did elsewhere at the same time is left`, () => {
    for (const seed of seeds) {
      const chance = new Chance(seed + 100_000);
      const start = recording();
      const peers = [new FlatPeer(10, start), new FlatPeer(11, start)] as const;
      // The other person's edits alone.
      const alone = new FlatPeer(11, start);
      const inboxes: [Uint8Array[], Uint8Array[]] = [[], []];
      peers.forEach((peer, from) =>
        peer.doc.on('update', (update: Uint8Array, origin: unknown) => {
          if (origin !== 'line') inboxes[1 - from]?.push(update);
        }),
      );
      const deliver = (to: 0 | 1) => {
        for (const update of inboxes[to].splice(0)) Y.applyUpdate(peers[to].doc, update, 'line');
      };
      const anchors = anchorsOf(alone.doc);
      const [mine, theirs] = peers;
      const border = (peer: FlatPeer) => peer.shown().findIndex(({ id }) => id === middle);
      const later = () => {
        const same = seed * 1000 + chance.between(1, 900);
        act(theirs, new Chance(same), border(theirs) + 1, theirs.shown().length);
        act(alone, new Chance(same), border(alone) + 1, alone.shown().length);
      };
      for (let steps = chance.between(4, 16); steps > 0; steps -= 1) {
        if (chance.happens(0.4)) later();
        else act(mine, chance, 0, border(mine));
        if (chance.happens(0.4)) deliver(chance.happens(0.5) ? 0 : 1);
      }
      while (mine.binding.undoManager.canUndo()) {
        mine.undo();
        if (chance.happens(0.2)) later();
        if (chance.happens(0.3)) deliver(chance.happens(0.5) ? 0 : 1);
      }
      deliver(0);
      deliver(1);
      const wanted = seen(alone.doc, anchors);
      for (const { doc } of peers) {
        expect(seen(doc, anchors), `seed ${seed}`).toEqual(wanted);
      }
    }
  });
});
