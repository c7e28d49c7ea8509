/** Texts joined into one: searching one long text is far cheaper than searching many. */
interface Sheet {
  whole: string;
  texts: readonly string[];
  /** Start of each text. */
  starts: readonly number[];
}

/** Every position at which a quote begins. */
export function search(whole: string, quote: string): number[] {
  const found: number[] = [];
  for (let at = whole.indexOf(quote); at !== -1; at = whole.indexOf(quote, at + 1)) found.push(at);
  return found;
}

/** Positions of a quote by the texts that contain it. */
export type Hits = ReadonlyMap<string, readonly number[]>;

/**
 * Index of the texts that contain each quote, kept up to date with the document. Each text is searched once for each
 * quote: after a change only new texts are searched, and a new quote in all of them.
 */
export class Quotes {
  private readonly look: typeof search;
  private readonly hits = new Map<string, Map<string, readonly number[]>>();
  private known: ReadonlySet<string> = new Set();

  constructor(look: typeof search = search) {
    this.look = look;
  }

  /** Sets the current texts and the current quotes. */
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
    // Each text is on a sheet once, so all hits in it come in a row.
    let found = -1;
    let places: number[] = [];
    for (const at of this.look(whole, quote)) {
      while ((starts[i + 1] ?? Infinity) <= at) i += 1;
      const text = texts[i] ?? '';
      const within = at - (starts[i] ?? 0);
      // A match across two texts is no match.
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
