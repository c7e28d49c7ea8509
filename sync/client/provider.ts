import * as Y from 'yjs';
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness';
import { close, readFrame, schemaVersion, writeFrame, type Frame } from '../protocol.ts';
import type { OfflineCopy } from './offline.ts';

/** One connection as the provider sees it; a WebSocket in the browser, a fake in the simulation. */
export interface Wire {
  send(bytes: Uint8Array): void;
  close(): void;
}

export interface WireEvents {
  open(): void;
  message(bytes: Uint8Array): void;
  closed(code: number): void;
}

/** What a provider needs of the world. */
export interface ClientWorld {
  connect(path: string, events: WireEvents): Wire;
  now(): number;
  later(ms: number, work: () => void): { cancel(): void };
  random(): number;
}

/** Why a document cannot go on as it is; the text it holds stays with the caller. */
export type Ended = 'session' | 'access' | 'generation' | 'refused';

export interface ProviderOptions {
  /** `<meeting>/<part>`. */
  room: string;
  doc: Y.Doc;
  world: ClientWorld;
  /** Null where the browser keeps nothing (private windows, full disk). */
  offline: OfflineCopy | null;
  /** Called whenever one of the states below changed. */
  changed?(): void;
}

/** Marks what comes out of the offline copy: it is neither new nor to be kept a second time. */
const fromCopy = Symbol('offline copy');
const firstDelay = 200;
const longestDelay = 10_000;
/** A browser shows no pings: after a while without a word the server is asked for one, and then given up. */
const askAfter = 20_000;
const silence = 45_000;

/**
 * Keeps one document in step with its room, and knows what of it is safe: an update counts as saved when the server
 * has said that it is durable, and until then it is sent again on every new connection.
 */
export class Provider {
  readonly doc: Y.Doc;
  readonly awareness: Awareness;
  connected = false;
  synced = false;
  canWrite = true;
  ended: Ended | null = null;
  /** The server said that it cannot store at the moment. */
  notStored = false;
  /** When the last acknowledgement came. */
  savedAt: number | null = null;

  private readonly options: ProviderOptions;
  private readonly world: ClientWorld;
  private wire: Wire | null = null;
  private generation: number | null = null;
  /** How many updates were made here, and how many of them are durable. */
  private made = 0;
  private durable = 0;
  /** For each update message of this connection, how many of our updates it brings the server up to. */
  private sent: number[] = [];
  private acknowledged = 0;
  private greeted = false;
  private attempt = 0;
  private retry: { cancel(): void } | null = null;
  private watchdog: { cancel(): void } | null = null;
  private stopped = false;

  constructor(options: ProviderOptions) {
    this.options = options;
    this.doc = options.doc;
    this.world = options.world;
    this.awareness = new Awareness(options.doc);
    this.doc.on('update', this.onUpdate);
    this.awareness.on('update', this.onAwareness);
    if (options.offline) {
      options.offline.load(this.doc, fromCopy).then(
        (kept) => {
          this.generation = kept.generation;
          if (kept.unsaved > 0) this.made += kept.unsaved;
          this.connect();
        },
        () => this.connect(),
      );
    } else this.connect();
  }

  /** Updates made here that the server has not said to be durable. */
  get pending(): number {
    return this.made - this.durable;
  }

  /** Whether what is pending would survive closing this page. */
  get keptHere(): boolean {
    return this.options.offline?.healthy ?? false;
  }

  // ---- Connecting ------------------------------------------------------------------------------

  private connect(): void {
    if (this.stopped || this.ended || this.wire) return;
    const generation = this.generation === null ? '' : `&generation=${this.generation}`;
    this.sent = [];
    this.acknowledged = 0;
    this.greeted = false;
    const wire: Wire = this.world.connect(`${this.options.room}?saved=1&schema=${schemaVersion}${generation}`, {
      open: () => this.wire === wire && this.listenForSilence(),
      message: (bytes) => this.wire === wire && this.onMessage(bytes),
      closed: (code) => this.wire === wire && this.onClosed(code),
    });
    this.wire = wire;
    this.listenForSilence();
  }

  private listenForSilence(): void {
    this.watchdog?.cancel();
    this.watchdog = this.world.later(askAfter, () => {
      if (this.connected) this.send({ kind: 'askPresence' });
      this.watchdog = this.world.later(silence - askAfter, () => {
        const { wire } = this;
        this.onClosed(0);
        wire?.close();
      });
    });
  }

  private onClosed(code: number): void {
    this.wire = null;
    this.connected = false;
    this.synced = false;
    this.watchdog?.cancel();
    removeAwarenessStates(
      this.awareness,
      [...this.awareness.getStates().keys()].filter((client) => client !== this.doc.clientID),
      this,
    );
    if (code === close.sessionEnded) this.end('session');
    else if (code === close.noAccess) this.end('access');
    else if (code === close.otherGeneration) this.end('generation');
    else if (code === close.badFrame || code === close.documentFull) this.end('refused');
    else if (!this.stopped) {
      // Full jitter: a thousand who lost the same server come back spread out.
      const most = Math.min(longestDelay, firstDelay * 2 ** this.attempt);
      this.attempt += 1;
      this.retry = this.world.later(
        code === close.full ? longestDelay / 2 + this.world.random() * longestDelay : this.world.random() * most,
        () => this.connect(),
      );
    }
    this.options.changed?.();
  }

  private end(why: Ended): void {
    this.ended = why;
    this.options.changed?.();
  }

  // ---- Messages --------------------------------------------------------------------------------

  private send(frame: Frame): void {
    this.wire?.send(writeFrame(frame));
  }

  private onMessage(bytes: Uint8Array): void {
    this.listenForSilence();
    const frame = readFrame(bytes);
    switch (frame.kind) {
      case 'hello':
        // Known before a single byte is exchanged: another generation is never merged with what is here.
        if (this.generation !== null && this.generation !== frame.hello.generation) {
          this.wire?.close();
          this.onClosed(close.otherGeneration);
          return;
        }
        this.generation = frame.hello.generation;
        this.canWrite = frame.hello.canWrite;
        this.options.offline?.setGeneration(frame.hello.generation);
        this.connected = true;
        this.attempt = 0;
        this.send({ kind: 'ask', stateVector: Y.encodeStateVector(this.doc) });
        break;
      case 'ask':
        this.bring(frame.stateVector);
        break;
      case 'state':
      case 'update':
        Y.applyUpdate(this.doc, frame.update, this);
        if (frame.kind === 'state') this.synced = true;
        // Something came out of order: what it hangs on is asked for, instead of waiting for chance.
        if (this.doc.store.pendingStructs || this.doc.store.pendingDs) this.askLater();
        break;
      case 'presence':
        applyAwarenessUpdate(this.awareness, frame.update, this);
        return;
      case 'saved':
        this.onSaved(frame.count);
        break;
      case 'notSaved':
        this.notStored = true;
        break;
      case 'auth':
        this.canWrite = false;
        break;
      case 'askPresence':
        return;
    }
    this.options.changed?.();
  }

  /** Answers the server's question with everything it lacks; from then on each update goes out as it is made. */
  private bring(stateVector: Uint8Array): void {
    if (this.canWrite) {
      const update = Y.encodeStateAsUpdate(this.doc, stateVector);
      if (this.pending > 0 || !isEmpty(update)) {
        this.send({ kind: 'state', update });
        this.sent.push(this.made);
      }
    }
    this.greeted = true;
    if (this.awareness.getLocalState() !== null)
      this.send({ kind: 'presence', update: encodeAwarenessUpdate(this.awareness, [this.doc.clientID]) });
  }

  private asking: { cancel(): void } | null = null;

  private askLater(): void {
    this.asking ??= this.world.later(500, () => {
      this.asking = null;
      if (this.connected && (this.doc.store.pendingStructs || this.doc.store.pendingDs))
        this.send({ kind: 'ask', stateVector: Y.encodeStateVector(this.doc) });
    });
  }

  private onSaved(count: number): void {
    this.acknowledged = Math.max(this.acknowledged, count);
    const upTo = this.sent[this.acknowledged - 1];
    if (upTo === undefined) return;
    this.durable = Math.max(this.durable, upTo);
    this.savedAt = this.world.now();
    this.notStored = false;
    if (this.pending === 0) this.options.offline?.allSaved();
  }

  private readonly onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin === fromCopy) return;
    if (origin === this) {
      this.options.offline?.keep(update, false);
      return;
    }
    this.made += 1;
    this.options.offline?.keep(update, true);
    if (this.connected && this.greeted && this.canWrite) {
      this.sent.push(this.made);
      this.send({ kind: 'update', update });
    }
    this.options.changed?.();
  };

  private readonly onAwareness = (
    { added, updated, removed }: { added: number[]; updated: number[]; removed: number[] },
    origin: unknown,
  ): void => {
    if (origin === this || !this.connected) return;
    const mine = [...added, ...updated, ...removed].filter((client) => client === this.doc.clientID);
    if (mine.length > 0) this.send({ kind: 'presence', update: encodeAwarenessUpdate(this.awareness, mine) });
  };

  /** Leaves at once. What is pending stays in the offline copy. */
  destroy(): void {
    this.stopped = true;
    this.retry?.cancel();
    this.watchdog?.cancel();
    this.asking?.cancel();
    this.doc.off('update', this.onUpdate);
    this.awareness.off('update', this.onAwareness);
    this.awareness.destroy();
    const { wire } = this;
    this.wire = null;
    this.connected = false;
    wire?.close();
    this.options.offline?.close();
  }
}

const isEmpty = (update: Uint8Array): boolean => update.byteLength === 2 && update[0] === 0 && update[1] === 0;
