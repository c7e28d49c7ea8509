/** Texts one behind the other: looking through one long text is far less work than through each of many. */
interface Sheet {
  whole: string;
  texts: readonly string[];
  /** Where each of them begins. */
  starts: readonly number[];
}

/** Every place at which a quote begins. */
export function search(whole: string, quote: string): number[] {
  const found: number[] = [];
  for (let at = whole.indexOf(quote); at !== -1; at = whole.indexOf(quote, at + 1)) found.push(at);
  return found;
}

/** By the texts a quote stands in, where in them. */
export type Hits = ReadonlyMap<string, readonly number[]>;

/**
 * In which texts quotes stand, over all the changes of a document. What is looked for is looked for once in each text:
 * after a change in the texts that are new, and a new quote in all of them.
 */
export class Quotes {
  private readonly look: typeof search;
  private readonly hits = new Map<string, Map<string, readonly number[]>>();
  private known: ReadonlySet<string> = new Set();

  constructor(look: typeof search = search) {
    this.look = look;
  }

  /** Those texts are all there are now, and those quotes all that are asked for. */
  turnTo(texts: Iterable<string>, quotes: Iterable<string>): void {
    const wanted = new Set(quotes);
    for (const quote of this.hits.keys()) if (!wanted.has(quote)) this.hits.delete(quote);
    if (wanted.size === 0) return;
    const now = new Set(texts);
    const gone = [...this.known].filter((text) => !now.has(text));
    const fresh = sheetOf([...now].filter((text) => !this.known.has(text)));
    let all: Sheet | null = null;
    for (const quote of wanted) {
      const hits = this.hits.get(quote);
      for (const text of gone) hits?.delete(text);
      const sheet = hits ? fresh : (all ??= sheetOf([...now]));
      if (sheet.texts.length > 0) this.hits.set(quote, this.find(quote, sheet, hits ?? new Map()));
    }
    this.known = now;
  }

  where(quote: string): Hits {
    return this.hits.get(quote) ?? new Map();
  }

  private find(quote: string, { whole, texts, starts }: Sheet, hits: Map<string, readonly number[]>) {
    let i = 0;
    // Each text stands on a sheet once, so what is found in one is found in one go.
    let found = -1;
    let places: number[] = [];
    for (const at of this.look(whole, quote)) {
      while ((starts[i + 1] ?? Infinity) <= at) i += 1;
      const text = texts[i] ?? '';
      const within = at - (starts[i] ?? 0);
      // What begins in one text and ends in the next stands in neither.
      if (within + quote.length > text.length) continue;
      if (found !== i) {
        [found, places] = [i, []];
        hits.set(text, places);
      }
      places.push(within);
    }
    return hits;
  }
}

function sheetOf(texts: readonly string[]): Sheet {
  const starts: number[] = [];
  let at = 0;
  for (const { length } of texts) {
    starts.push(at);
    at += length + 1;
  }
  return { whole: texts.join('\n'), texts, starts };
}
