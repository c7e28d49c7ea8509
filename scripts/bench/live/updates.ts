import * as Y from 'yjs';

/** Length of each insertion: a keystroke or two, and long enough to be unique. */
export const tokenLength = 10;
const bigValue = 16 * 1024;

/**
 * Writer without a document: its updates are written byte by byte as Yjs would write them, for a person who appends to
 * their own words (`words`), or sets the same key repeatedly (`values`, 16 KiB each).
 */
export class Writer {
  readonly index: number;
  readonly client: number;
  readonly kind: 'words' | 'values';
  /** Number of updates made; the n-th begins at clock n * step. */
  made = 0;
  /** Time each update was sent, and number of clients that received it. */
  readonly sentAt: number[] = [];
  readonly seenBy: number[] = [];
  /** Number of acknowledged updates, counted from the first. */
  acknowledged = 0;
  inFlight = 0;

  constructor(kind: 'words' | 'values' = 'words') {
    this.kind = kind;
    this.index = writers.push(this) - 1;
    this.client = firstClient + this.index;
  }

  get step(): number {
    return this.kind === 'words' ? tokenLength : 1;
  }

  token(n: number): string {
    return `${this.index.toString(36).padStart(4, '0')}${n.toString(36).padStart(tokenLength - 5, '0')} `;
  }

  next(now: number): Uint8Array {
    const n = this.made++;
    this.sentAt.push(now);
    this.seenBy.push(0);
    this.inFlight += 1;
    return this.kind === 'words' ? this.word(n) : this.value(n);
  }

  private word(n: number): Uint8Array {
    const bytes = [1, 1];
    const clock = n * tokenLength;
    varUint(bytes, this.client);
    varUint(bytes, clock);
    // A string (4) after our own last letter (128), or at the root.
    bytes.push(n > 0 ? 132 : 4);
    if (n > 0) {
      varUint(bytes, this.client);
      varUint(bytes, clock - 1);
    } else string(bytes, 'text', 1);
    string(bytes, this.token(n));
    bytes.push(0);
    return Uint8Array.from(bytes);
  }

  private value(n: number): Uint8Array {
    const bytes = [1, 1];
    varUint(bytes, this.client);
    varUint(bytes, n);
    // A value (8) that replaces our last one (128), or of a key (32) of the root.
    bytes.push(n > 0 ? 136 : 40);
    if (n > 0) {
      varUint(bytes, this.client);
      varUint(bytes, n - 1);
    } else {
      string(bytes, 'about', 1);
      string(bytes, `key ${this.index}`);
    }
    bytes.push(1, 119);
    varUint(bytes, bigValue);
    const tail: number[] = n > 0 ? [1] : [0];
    if (n > 0) {
      varUint(tail, this.client);
      tail.push(1);
      varUint(tail, n - 1);
      tail.push(1);
    }
    return Buffer.concat([Uint8Array.from(bytes), Buffer.alloc(bigValue, 97 + (n % 26)), Uint8Array.from(tail)]);
  }
}

const writers: Writer[] = [];
/** Ids of five bytes, as most of Yjs's own; different in each run. */
const firstClient = 0x2000_0000 + Math.floor(Math.random() * 0x4000_0000);

/** Writer with that client id; undefined for any other client. */
export const writerOf = (client: number): Writer | undefined => writers[client - firstClient];

export function varUint(bytes: number[], value: number): void {
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  bytes.push(value);
}

function string(bytes: number[], text: string, ...before: number[]): void {
  bytes.push(...before);
  varUint(bytes, text.length);
  for (let i = 0; i < text.length; i++) bytes.push(text.charCodeAt(i));
}

export interface WrittenDocument {
  updates: Uint8Array[];
  /** Same document as one update. */
  whole: Uint8Array;
  length: number;
  /** State vector of a client that has everything, so that an answer to it is short. */
  vector: Uint8Array;
}

/** Insertions that one person makes in a row. */
export const together = 250;

/** Words of six letters, inserted at once. */
export function pasted(words: number): WrittenDocument {
  const doc = new Y.Doc();
  const all = Array.from({ length: words }, (_, i) => `${i.toString(36).padStart(5, 'a')} `).join('');
  doc.getText('text').insert(0, all);
  const whole = Y.encodeStateAsUpdate(doc);
  return { updates: [whole], whole, length: all.length, vector: Y.encodeStateVector(doc) };
}

/** The same amount in many insertions at different places; each run differs. */
export function typed(words: number): WrittenDocument {
  const doc = new Y.Doc();
  const text = doc.getText('text');
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  let seed = 1;
  for (let i = 0; i < words; i++) {
    // Each person has a client id of their own.
    if (i % together === 0) doc.clientID += 1;
    seed = (seed * 48_271) % 2_147_483_647;
    text.insert(seed % (text.length + 1), `${i.toString(36).padStart(5, 'a')} `);
  }
  return { updates, whole: Y.encodeStateAsUpdate(doc), length: text.length, vector: Y.encodeStateVector(doc) };
}
