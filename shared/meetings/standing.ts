import * as Y from 'yjs';
import { boundaryOf, segmentsOf, speakerOf, textOf, type Segment } from './transcript.ts';

/** A segment that can be found again in a later state of the same document, whatever came before it or changed in it. */
export interface Standing extends Segment {
  /** Of its boundary, which keeps its id as long as it stands; empty for text before the first one. */
  mark: string;
}

/** The segments of a document at this moment; as `readSegments`, with their marks. */
export function standingIn(doc: Y.Doc): Standing[] {
  const changed = segmentsOf(doc);
  const found: Standing[] = [];
  let current: Standing = { mark: '', id: null, speaker: '', text: '', start: 0 };
  let at = 0;
  const close = () => {
    if (current.id !== null || current.text !== '') found.push(current);
  };
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    if (item.deleted || !item.countable) continue;
    if (item.content instanceof Y.ContentString) {
      current.text += item.content.str;
      at += item.length;
      continue;
    }
    for (const [nth, value] of item.content.getContent().entries()) {
      close();
      at += 1;
      const boundary = boundaryOf(value);
      const mark = `${item.id.client}:${item.id.clock + nth}`;
      current = { mark, id: boundary.s, speaker: speakerOf(changed, boundary), text: '', start: at };
    }
  }
  close();
  return found;
}

/** Finds segments of an earlier state in this one. */
export class Finder {
  private readonly byMark = new Map<string, number>();
  private readonly byId = new Map<string | null, number>();
  readonly now: readonly Standing[];

  constructor(now: readonly Standing[]) {
    this.now = now;
    for (const [i, { mark, id }] of now.entries()) {
      this.byMark.set(mark, i);
      // Two may have one id, as after two undos at the same time: the first is meant.
      if (!this.byId.has(id)) this.byId.set(id, i);
    }
  }

  withId(id: string | null): number | null {
    return this.byId.get(id) ?? null;
  }

  /** Null where it is gone. In another generation of a document the boundary may be another one, of the same id. */
  same({ mark, id }: Pick<Standing, 'mark' | 'id'>): number | null {
    const place = this.byMark.get(mark);
    return place !== undefined && this.now[place]?.id === id ? place : this.withId(id);
  }
}
