import * as Y from 'yjs';
import { Chance } from '../sim/chance.ts';
import { flat } from './flat-peer.ts';
import type { Model, Peer, Place, Shown } from './peer.ts';

// A meeting of three who edit one transcript: updates come late, twice, in any order, or not for a while. Every
// character that is typed is one that never was before, so each can be followed from its birth to its end.

export interface Wanted {
  model?: Model;
  steps?: number;
  undo?: boolean;
}

export interface Outcome {
  wrong: string | null;
  /** Number of units in the text at the end; a run in which nothing happens shows nothing. */
  units: number;
}

const speakers = ['ann', 'ben', 'chen'];

/** Characters that are never typed twice, of one and of two UTF-16 units. */
class Characters {
  private next = 0;
  private readonly chance: Chance;
  constructor(chance: Chance) {
    this.chance = chance;
  }

  some(most: number): string {
    const list = Array.from({ length: this.chance.between(1, most) }, () => {
      this.next += 1;
      // Hangul syllables, and above them characters of two UTF-16 units; neighbours there share the first one.
      return String.fromCodePoint(this.next % 3 === 0 ? 0x1_0000 + this.next : 0xac00 + this.next);
    });
    return list.join('');
  }
}

/** A text as the list of what must never be lost or change its order: beginnings of segments and characters. */
function unitsOf(shown: readonly Shown[]): string[] {
  return shown.flatMap(({ id, text }) => [...(id === null ? [] : [`<${id}>`]), ...[...text].filter((c) => c !== ' ')]);
}

export function simulate(seed: number, { model = flat, steps = 60, undo = true }: Wanted = {}): Outcome {
  const chance = new Chance(seed);
  const characters = new Characters(chance);
  const beginning: Shown[] = Array.from({ length: chance.between(0, 4) }, (_, index) => ({
    id: `s${index}`,
    speaker: chance.pick(speakers),
    text: chance.happens(0.1) ? '' : characters.some(8),
  }));
  const start = model.start(beginning);
  const peers = Array.from({ length: 3 }, (_, index): Peer => model.peer(index + 10, start));
  const story = new Story(unitsOf(beginning));
  const inboxes = peers.map((): Uint8Array[] => []);
  const seen = peers.map((): Uint8Array[] => []);
  peers.forEach((peer, from) =>
    peer.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== 'line') inboxes.forEach((inbox, to) => to !== from && inbox.push(update));
    }),
  );

  const deliver = (to: number) => {
    const inbox = inboxes[to] ?? [];
    const again = seen[to] ?? [];
    const twice = again.length > 0 && chance.happens(0.1);
    const update = twice ? chance.pick(again) : inbox.splice(chance.between(0, inbox.length - 1), 1)[0];
    if (!update) return;
    again.push(update);
    Y.applyUpdate(at(peers, to).doc, update, 'line');
  };

  try {
    for (let step = 0; step < steps; step += 1) {
      const number = chance.between(0, 2);
      const peer = at(peers, number);
      if (chance.happens(0.45)) deliver(number);
      else {
        const before = unitsOf(peer.shown());
        act(peer, chance, characters, undo);
        story.tell(number, before, unitsOf(peer.shown()));
      }
      const wrong = peer.wrong();
      if (wrong !== null) return { wrong: `step ${step}: ${wrong}`, units: 0 };
    }
    for (const peer of peers) if (peer.composing) peer.composed();
    for (const [to, inbox] of inboxes.entries()) while (inbox.length > 0) deliver(to);
    // Yjs itself holds back updates that come out of order; the peers ask for what they miss, as the provider does.
    for (const one of peers)
      for (const other of peers)
        Y.applyUpdate(one.doc, Y.encodeStateAsUpdate(other.doc, Y.encodeStateVector(one.doc)), 'line');
    const units = unitsOf(at(peers, 0).shown());
    const wrong =
      peers.map((peer) => peer.wrong()).find((found) => found !== null) ??
      (new Set(peers.map((peer) => peer.truth())).size > 1 ? 'they do not agree' : null) ??
      story.judge(units);
    return { wrong, units: units.length };
  } catch (error) {
    return { wrong: `threw ${error instanceof Error ? error.stack : String(error)}`, units: 0 };
  } finally {
    for (const peer of peers) peer.doc.destroy();
  }
}

function at<T>(list: readonly T[], index: number): T {
  const one = list[index];
  if (one === undefined) throw new RangeError(`nothing at ${index}`);
  return one;
}

// ---- Edits that people make --------------------------------------------------------------------

function act(peer: Peer, chance: Chance, characters: Characters, undo: boolean): void {
  const shown = peer.shown();
  const place = (): Place => {
    const segment = chance.between(0, shown.length - 1);
    return { segment, offset: whole(shown[segment]?.text ?? '', chance) };
  };
  if (shown.length === 0) return;
  if (peer.composing) {
    if (chance.happens(0.3)) peer.composed();
    else {
      const one = place();
      const other = { ...one, offset: whole(shown[one.segment]?.text ?? '', chance) };
      const [from, to] = one.offset <= other.offset ? [one, other] : [other, one];
      peer.typeOver(from, chance.happens(0.5) ? to : from, characters.some(2));
    }
    return;
  }
  const range = (): [Place, Place] => {
    const [one, other] = [place(), place()];
    const near = chance.happens(0.7)
      ? { ...other, segment: one.segment, offset: whole(shown[one.segment]?.text ?? '', chance) }
      : other;
    const ascending = one.segment < near.segment || (one.segment === near.segment && one.offset <= near.offset);
    return ascending ? [one, near] : [near, one];
  };
  const kind = chance.between(1, 100);
  if (kind <= 35) peer.type(place(), characters.some(3));
  else if (kind <= 45) peer.erase(...range());
  else if (kind <= 50) peer.typeOver(...range(), characters.some(2));
  else if (kind <= 60) peer.split(place());
  else if (kind <= 69) {
    if (shown.length > 1) peer.merge(chance.between(1, shown.length - 1), chance.happens(0.5));
  } else if (kind <= 74) {
    const [from, to] = chance.happens(0.5) ? range() : [place(), place()];
    const ordered = from.segment < to.segment || (from.segment === to.segment && from.offset <= to.offset);
    const paragraphs = Array.from({ length: chance.between(1, 3) }, () => characters.some(3));
    peer.paste(from, ordered && chance.happens(0.3) ? to : from, paragraphs);
  } else if (kind <= 79) replaceAll(peer, shown, chance, characters);
  else if (kind <= 85) {
    const scope = chance.pick(['one', 'following', 'all'] as const);
    peer.speak(chance.between(0, shown.length - 1), scope, chance.pick(speakers));
  } else if (kind <= 90) peer.compose();
  else if (undo) {
    if (kind <= 96) peer.undo();
    else peer.redo();
  }
}

/** An offset that cuts no character. */
function whole(text: string, chance: Chance): number {
  const list = [...text];
  return list.slice(0, chance.between(0, list.length)).join('').length;
}

function replaceAll(peer: Peer, shown: readonly Shown[], chance: Chance, characters: Characters): void {
  const found: Parameters<Peer['replaceAll']>[0] = [];
  shown.forEach(({ text }, segment) => {
    let offset = 0;
    for (const character of text) {
      if (chance.happens(0.2))
        found.push({ at: { segment, offset }, length: character.length, text: characters.some(2) });
      offset += character.length;
    }
  });
  peer.replaceAll(found);
}

// ---- Rules for the result ----------------------------------------------------------------------

/** Records who made each unit appear or disappear, and in which order people saw the units. */
class Story {
  /** By unit: who added or removed it, and how often. */
  private readonly touched = new Map<string, { by: Set<number>; gone: boolean; back: boolean; twice: boolean }>();
  private readonly orders: string[][] = [];

  constructor(units: readonly string[]) {
    for (const unit of units) this.of(unit);
    this.orders.push([...units]);
  }

  private of(unit: string) {
    const known = this.touched.get(unit);
    if (known) return known;
    const fresh = { by: new Set<number>(), gone: false, back: false, twice: false };
    this.touched.set(unit, fresh);
    return fresh;
  }

  tell(who: number, before: readonly string[], after: readonly string[]): void {
    const [was, is] = [new Set(before), new Set(after)];
    if (was.size < before.length)
      for (const unit of before) if (before.indexOf(unit) !== before.lastIndexOf(unit)) this.of(unit).twice = true;
    for (const unit of after) {
      if (was.has(unit)) continue;
      const known = this.touched.has(unit);
      const life = this.of(unit);
      if (!known) continue;
      life.by.add(who);
      life.gone = false;
      life.back = true;
    }
    for (const unit of before) {
      if (is.has(unit)) continue;
      const life = this.of(unit);
      life.by.add(who);
      life.gone = true;
    }
    this.orders.push([...after]);
  }

  judge(units: readonly string[]): string | null {
    const count = new Map<string, number>();
    for (const unit of units) count.set(unit, (count.get(unit) ?? 0) + 1);
    for (const unit of count.keys()) if (!this.touched.has(unit)) return `${unit} came from nowhere`;
    for (const [unit, { by, gone, back, twice }] of this.touched) {
      const times = count.get(unit) ?? 0;
      // Two people who both removed a unit and both undid that get it twice, because Yjs cannot know better. So does,
      // for a while, a person who receives the undo before the removal; changes to one of the two copies do not reach
      // the other.
      if (back && (by.size > 1 || twice)) continue;
      if (gone && times > 0) return `${unit} came back`;
      if (!gone && times === 0) return `${unit} is lost`;
      if (times > 1) return `${unit} is there ${times} times`;
    }
    const place = new Map(units.map((unit, index) => [unit, index]));
    const steady = (unit: string) => this.touched.get(unit)?.by.size === 0;
    for (const order of this.orders) {
      let last = -1;
      for (const unit of order) {
        if (!steady(unit)) continue;
        const index = place.get(unit) ?? -1;
        if (index <= last) return `${unit} moved`;
        last = index;
      }
    }
    return null;
  }
}
