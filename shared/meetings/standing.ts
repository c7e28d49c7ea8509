import * as Y from 'yjs';
import { boundaryOf, segmentsOf, speakerOf, textOf, type Segment } from './transcript.ts';

/** Segment that can be found again in a later state of the same document, whatever changed before or in it. */
export interface Standing extends Segment {
  /** Character id of its boundary, which never changes; empty for text before the first one. */
  mark: string;
}

/** Current segments as `readSegments` gives them, with their marks. */
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

/** Finds segments of an earlier state in the current one. */
export class Finder {
  private readonly byMark = new Map<string, number>();
  private readonly byId = new Map<string | null, number>();
  readonly now: readonly Standing[];

  constructor(now: readonly Standing[]) {
    this.now = now;
    for (const [i, { mark, id }] of now.entries()) {
      this.byMark.set(mark, i);
      // Two segments may share an id, as after two undos at the same time: the first one wins.
      if (!this.byId.has(id)) this.byId.set(id, i);
    }
  }

  withId(id: string | null): number | null {
    return this.byId.get(id) ?? null;
  }

  /**
   * Index of the segment; null if it is gone. In another generation of the document the boundary has another mark and
   * the same id.
   */
  same({ mark, id }: Pick<Standing, 'mark' | 'id'>): number | null {
    const place = this.byMark.get(mark);
    return place !== undefined && this.now[place]?.id === id ? place : this.withId(id);
  }
}
