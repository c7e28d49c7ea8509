import type * as Y from 'yjs';
import { inOrder, readAnnotation, visitAnnotations, type Outcome } from '#shared/meetings/annotations.ts';

export type ComparedOutcome = Pick<
  Outcome,
  'id' | 'type' | 'start' | 'end' | 'quote' | 'text' | 'grade' | 'children' | 'createdAt'
> & { author: { id: string; name: string } };

/** Outcomes of one author, in the order of the transcript. Lists that have not changed stay the same objects. */
export interface AuthorOutcomes {
  outcomes: readonly ComparedOutcome[];
  types: ReadonlySet<string>;
  /** Characters. */
  size: number;
}

interface Known {
  client: number;
  clock: number;
  /** Null for a value that is no outcome. */
  outcome: ComparedOutcome | null;
  /** The last reading in which it was there. */
  seen: number;
}

/** Characters that count for each outcome and detail beside those of their texts: ids, names and numbers. */
export const each = 300;

const compared = ({
  id,
  type,
  start,
  end,
  quote,
  text,
  grade,
  children,
  createdAt,
  author,
}: Outcome): ComparedOutcome => ({
  ...{ id, type, start, end, quote, text, grade, children, createdAt, author },
});

const sizeOf = (outcomes: readonly ComparedOutcome[]): number =>
  outcomes.reduce(
    (size, { quote, text, children }) => size + each * (1 + children.length) + quote.length + text.length,
    0,
  );

/** Outcomes of a room. A value that was read is not read again, also in another document of the room. */
export class OutcomesReader {
  private readonly known = new Map<string, Known>();
  private authors: ReadonlyMap<string, AuthorOutcomes> = new Map();
  private nth = 0;

  /** Outcomes by author, as the document has them. */
  read(doc: Y.Doc): ReadonlyMap<string, AuthorOutcomes> {
    this.nth += 1;
    const changed = new Set<string>();
    let seen = 0;
    const note = (outcome: ComparedOutcome | null | undefined) => {
      if (outcome) changed.add(outcome.author.id);
    };
    visitAnnotations(doc, 'outcome', (id, client, clock) => {
      seen += 1;
      const before = this.known.get(id);
      if (before?.client === client && before.clock === clock) {
        before.seen = this.nth;
        return;
      }
      const found = readAnnotation(doc, 'outcome', id, 'shared');
      const outcome = found?.id === id ? compared(found) : null;
      this.known.set(id, { client, clock, outcome, seen: this.nth });
      note(before?.outcome);
      note(outcome);
    });
    if (seen < this.known.size)
      for (const [id, one] of this.known)
        if (one.seen < this.nth) {
          note(one.outcome);
          this.known.delete(id);
        }
    if (changed.size > 0) this.authors = this.grouped(changed);
    return this.authors;
  }

  /** The lists of these authors made anew, and the others as they are. */
  private grouped(changed: ReadonlySet<string>): ReadonlyMap<string, AuthorOutcomes> {
    const lists = new Map<string, ComparedOutcome[]>();
    for (const { outcome } of this.known.values()) {
      if (!outcome || !changed.has(outcome.author.id)) continue;
      const list = lists.get(outcome.author.id) ?? [];
      list.push(outcome);
      lists.set(outcome.author.id, list);
    }
    const authors = new Map(this.authors);
    for (const id of changed) {
      const outcomes = lists.get(id)?.sort(inOrder);
      if (outcomes)
        authors.set(id, { outcomes, types: new Set(outcomes.map(({ type }) => type)), size: sizeOf(outcomes) });
      else authors.delete(id);
    }
    return authors;
  }
}
