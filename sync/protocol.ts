import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';

/**
 * The wire between a client and a room: y-websocket's own framing, so that a stock client connects with nothing but
 * an address, a room and a ticket. The messages from `saved` on are ours; only a client that asks for them
 * (`?saved=1`) is ever sent one. Rules are numbered in SPEC.md.
 */
export const message = { sync: 0, presence: 1, auth: 2, askPresence: 3, saved: 10, hello: 11, notSaved: 12 } as const;
export const syncStep = { ask: 0, state: 1, update: 2 } as const;

/** Close codes beyond those of the WebSocket standard (1009 too big, 1012 restart, 1013 full). */
export const close = {
  restart: 1012,
  full: 1013,
  tooBig: 1009,
  badFrame: 4400,
  sessionEnded: 4401,
  noAccess: 4403,
  otherGeneration: 4409,
  documentFull: 4413,
  tooFast: 4429,
} as const;

/** Reason of a close 4400 whose update costs too much work (G15): in smaller pieces it may cost little. */
export const tooMuchWork = 'too much work';

/** The shape of the documents this version reads and writes; an old tab does not join a newer one. */
export const schemaVersion = 2;

/** Every figure of the wire; each has a test at its limit and one past it. */
export const limits = {
  frameBytes: 1024 * 1024,
  /** How many pieces one message may come in. */
  fragments: 256,
  updatesPerSecond: 60,
  updateBurst: 300,
  bytesPerSecond: 1024 * 1024,
  byteBurst: 4 * 1024 * 1024,
  /** Bytes that the smallest message counts as, to bound floods of tiny ones. */
  messageCost: 256,
  /** How many messages wait while the room is being opened. */
  earlyMessages: 10,
  /** Questions for what is missing, however small the answer. */
  asksPerSecond: 2,
  askBurst: 20,
  /** Answers larger than `largeAnswer`, and the bytes of all answers. */
  largeAnswersPerMinute: 6,
  largeAnswer: 64 * 1024,
  answerBytesPerMinute: 64 * 1024 * 1024,
  presenceBytes: 4096,
  presencePerSecond: 10,
  /** A client that speaks of others is sent the truth once in this time. */
  presenceAnswerMs: 1000,
  /** People whose process sends nothing of them for so long are taken for gone. */
  presenceSilenceMs: 45_000,
  controlFramesPerSecond: 50,
  sendQueueBytes: 4 * 1024 * 1024,
  sendStallMs: 15_000,
  pendingBytes: 1024 * 1024,
  pendingMs: 60_000,
  waitingBytes: 1024 * 1024,
  depth: 64,
  valueBytes: 64 * 1024,
  insertBytes: 256 * 1024,
  structsPerUpdate: 20_000,
  stateVectorEntries: 20_000,
  clockStep: 1_000_000,
  /** Work of one update, in units of about 10 ns (`trial.ts`), and of a room in one turn of the event loop. */
  work: 8_000_000,
  turnWork: 1_500_000,
  /** Work of all updates of a person beyond what every update of that size costs. */
  workPerSecond: 2_000_000,
  workBurst: 20_000_000,
  clientIdsPerPersonAndDay: 200,
  clientIdsPerDocument: 20_000,
  documentWarnBytes: 10 * 1024 * 1024,
  documentBytes: 20 * 1024 * 1024,
  documentStructs: 500_000,
  /** Structures that are built without asking a thread first what that costs. */
  inlineStructs: 1000,
  // Each page of a recording has a connection for the text and one for each other part: twenty pages of a person, and
  // fifty of readers with a link behind one address, as a class in a school has.
  socketsPerUser: 80,
  socketsPerAddress: 150,
  pingMs: 15_000,
  missedPings: 3,
} as const;

/** The same figures, smaller in some tests. */
export type Limits = Readonly<Record<keyof typeof limits, number>>;

export type Frame =
  | { kind: 'ask'; stateVector: Uint8Array }
  | { kind: 'state'; update: Uint8Array }
  | { kind: 'update'; update: Uint8Array }
  | { kind: 'presence'; update: Uint8Array }
  | { kind: 'askPresence' }
  | { kind: 'auth'; reason: string }
  | { kind: 'saved'; count: number }
  | { kind: 'notSaved' }
  | { kind: 'hello'; hello: Hello };

/** Bits of the rights in `hello`. */
const [mayWrite, maySeeDeleted] = [1, 2];
const rightsOf = (bits: number) => ({ canWrite: (bits & mayWrite) > 0, history: (bits & maySeeDeleted) > 0 });

/** The first message to our own client: the document it is about to merge with. */
interface Hello {
  generation: number;
  schema: number;
  canWrite: boolean;
  /** Whether deleted text may be sent; told only to those who ask (`?history=1`). */
  history: boolean;
}

/**
 * Reads how far a client is, by client id. Strict: throws where a client is there twice or bytes are left over. Takes any
 * order, as Yjs sorts the ids and other implementations of it do not.
 */
export function readStateVector(bytes: Uint8Array): Map<number, number> {
  const decoder = decoding.createDecoder(bytes);
  const count = decoding.readVarUint(decoder);
  if (count > limits.stateVectorEntries) throw new Error('too large a state vector');
  const clocks = new Map<number, number>();
  for (let i = 0; i < count; i += 1) {
    const client = decoding.readVarUint(decoder);
    if (clocks.has(client)) throw new Error('a client twice');
    clocks.set(client, decoding.readVarUint(decoder));
  }
  if (decoding.hasContent(decoder)) throw new Error('bytes behind the state vector');
  return clocks;
}

/** Reads a message; throws for anything that is not exactly one. */
export function readFrame(bytes: Uint8Array): Frame {
  const decoder = decoding.createDecoder(bytes);
  const frame = readBody(decoder);
  if (decoding.hasContent(decoder)) throw new Error('bytes behind the message');
  return frame;
}

function readBody(decoder: decoding.Decoder): Frame {
  const kind = decoding.readVarUint(decoder);
  switch (kind) {
    case message.sync: {
      const step = decoding.readVarUint(decoder);
      const payload = decoding.readVarUint8Array(decoder);
      if (step === syncStep.ask) return { kind: 'ask', stateVector: payload };
      if (step === syncStep.state) return { kind: 'state', update: payload };
      if (step === syncStep.update) return { kind: 'update', update: payload };
      throw new Error('unknown sync step');
    }
    case message.presence:
      return { kind: 'presence', update: decoding.readVarUint8Array(decoder) };
    case message.auth:
      if (decoding.readVarUint(decoder) !== 0) throw new Error('unknown auth message');
      return { kind: 'auth', reason: decoding.readVarString(decoder) };
    case message.askPresence:
      return { kind: 'askPresence' };
    case message.saved:
      return { kind: 'saved', count: decoding.readVarUint(decoder) };
    case message.notSaved:
      return { kind: 'notSaved' };
    case message.hello:
      return {
        kind: 'hello',
        hello: {
          generation: decoding.readVarUint(decoder),
          schema: decoding.readVarUint(decoder),
          ...rightsOf(decoding.readVarUint(decoder)),
        },
      };
    default:
      throw new Error('unknown message');
  }
}

export function writeFrame(frame: Frame): Uint8Array {
  if (frame.kind === 'ask') return syncFrame(syncStep.ask, frame.stateVector);
  if (frame.kind === 'state' || frame.kind === 'update') return syncFrame(syncStep[frame.kind], frame.update);
  const other = frame;
  return encoding.encode((encoder) => {
    switch (other.kind) {
      case 'presence':
        encoding.writeVarUint(encoder, message.presence);
        encoding.writeVarUint8Array(encoder, other.update);
        break;
      case 'askPresence':
        encoding.writeVarUint(encoder, message.askPresence);
        break;
      case 'auth':
        encoding.writeVarUint(encoder, message.auth);
        encoding.writeVarUint(encoder, 0);
        encoding.writeVarString(encoder, other.reason);
        break;
      case 'saved':
        encoding.writeVarUint(encoder, message.saved);
        encoding.writeVarUint(encoder, other.count);
        break;
      case 'notSaved':
        encoding.writeVarUint(encoder, message.notSaved);
        break;
      case 'hello':
        encoding.writeVarUint(encoder, message.hello);
        encoding.writeVarUint(encoder, other.hello.generation);
        encoding.writeVarUint(encoder, other.hello.schema);
        encoding.writeVarUint(
          encoder,
          (other.hello.canWrite ? mayWrite : 0) | (other.hello.history ? maySeeDeleted : 0),
        );
        break;
    }
  });
}

/** Made in one piece of the right length, as it is the most frequent frame. */
function syncFrame(step: number, payload: Uint8Array): Uint8Array {
  const head = [message.sync, step];
  let rest = payload.byteLength;
  for (; rest > 127; rest = Math.floor(rest / 128)) head.push(128 | (rest & 127));
  head.push(rest);
  const bytes = new Uint8Array(head.length + payload.byteLength);
  bytes.set(head);
  bytes.set(payload, head.length);
  return bytes;
}

/** Packs updates into a log row, each with its length before it. */
export function packUpdates(updates: readonly Uint8Array[]): Uint8Array {
  return encoding.encode((encoder) => {
    for (const update of updates) encoding.writeVarUint8Array(encoder, update);
  });
}

export function unpackUpdates(bytes: Uint8Array): Uint8Array[] {
  const decoder = decoding.createDecoder(bytes);
  const updates: Uint8Array[] = [];
  while (decoding.hasContent(decoder)) updates.push(decoding.readVarUint8Array(decoder));
  return updates;
}
