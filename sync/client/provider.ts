import * as Y from 'yjs';
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness';
import { close, limits, readFrame, schemaVersion, tooMuchWork, writeFrame, type Frame } from '../protocol.ts';
import type { OfflineCopy } from './offline.ts';
import { Pace } from './pace.ts';
import type { RoomState } from './status.ts';

/** One connection; a WebSocket in the browser, a fake in the simulation. */
export interface Wire {
  send(bytes: Uint8Array): void;
  close(): void;
}

export interface WireEvents {
  open(): void;
  message(bytes: Uint8Array): void;
  closed(code: number, reason?: string): void;
}

/** `awake`: the network may be back, or the device slept. */
type BrowserEvent = 'awake' | 'offline';

/** The outside of a provider: connections, clock, timers. */
export interface ClientWorld {
  connect(path: string, events: WireEvents): Wire;
  /** Milliseconds that only grow; not the time of day. */
  now(): number;
  later(ms: number, work: () => void): { cancel(): void };
  random(): number;
  /** Subscribes to events of the browser; returns what unsubscribes. */
  subscribe?(callback: (event: BrowserEvent) => void): () => void;
}

/**
 * Reason to end synchronization; the caller keeps what it holds. `session`: sign in again. `access`: no longer
 * allowed. `generation`: the document began a new generation. `schema`: this page is too old. `full`: the document is full.
 * `refused`: the server will never take what was made here. `history`: this person may not have
 * what was deleted in it any more, and everything made here is stored. `damaged`: this document cannot be trusted.
 */
export type Ended = 'session' | 'access' | 'generation' | 'schema' | 'full' | 'refused' | 'damaged' | 'history';

interface ProviderOptions {
  /** `<meeting>/<part>`. */
  room: string;
  doc: Y.Doc;
  world: ClientWorld;
  /** Null where the browser stores nothing. */
  offline: OfflineCopy | null;
  /** The person of this page: it never connects as another one who signed in meanwhile. */
  as?: string;
  /** Names this page where nobody is signed in, so that it still owns what it wrote after a reconnect. */
  guest?: string;
  /** Asks why a WebSocket was refused, as that does not say; null: for no lasting reason. */
  whyRefused?(): Promise<Ended | null>;
  /** Called after each change of the provider's state. */
  changed?(): void;
  /** Called when the person's rights on this meeting have changed. */
  rightsChanged?(): void;
}

/** Marks updates from the offline copy: they are not new and not stored again. */
const fromCopy = Symbol('offline copy');
const firstDelay = 200;
const longestDelay = 10_000;
/** A connection that lasted so long was a good one. */
const goodAfter = 5_000;
/** A browser does not show pings: after a silence the server is asked for an answer, and then given up. */
const askAfter = 20_000;
const silence = 45_000;
/** The silence allowed after sleep. */
const awakeSilence = 5_000;
const askAgain = 500;
const longestAskAgain = 30_000;
/** A larger state is sent in pieces. */
const largeState = limits.frameBytes / 4;
const mergedBytes = limits.frameBytes / 4;
const mergedUpdates = 100;
const frameRoom = 16;
/** Below what the server allows, so that nobody is cut off for typing or pasting. */
const pace = {
  updates: 40,
  updateBurst: 200,
  bytes: limits.bytesPerSecond * 0.7,
  byteBurst: 2 * limits.bytesPerSecond,
};
const presenceEvery = 150;

interface Unsaved {
  update: Uint8Array;
  at: number;
}

/**
 * Synchronizes one document with its room, and knows what of it is saved: an update counts as saved once the server has
 * said that it is durable, and until then it is sent again on every new connection.
 */
export class Provider {
  readonly doc: Y.Doc;
  readonly awareness: Awareness;
  connected = false;
  synced = false;
  /** True once the offline copy is in the document; nothing may be typed before. */
  loaded = false;
  /** True once it holds the document, from the server or the offline copy. */
  filled = false;
  canWrite = true;
  /** Whether what it holds may have deleted text in it that this person may no longer see. */
  private outdated = false;
  private history = false;
  ended: Ended | null = null;
  /** The server said that it cannot store now. */
  notStored = false;
  /** Time of the last acknowledgement. */
  savedAt: number | null = null;
  generation: number | null = null;

  private readonly options: ProviderOptions;
  private readonly world: ClientWorld;
  private wire: Wire | null = null;
  /** Own updates that are not known to be durable, the oldest first. */
  private unsaved: Unsaved[] = [];
  /** Most updates in one message; null: all that the server lacks, as long as it is no large state. */
  private together: number | null = null;
  /** How many updates were made here, how many of them are durable, and how many this connection has been given. */
  private made = 0;
  private durable = 0;
  private given = 0;
  /** For each update message of this connection, how many of our updates it brings the server up to. */
  private sent: number[] = [];
  private acknowledged = 0;
  private greeted = false;
  private pace: Pace;
  private paced: { cancel(): void } | null = null;
  private attempt = 0;
  private since: number;
  private retry: { cancel(): void } | null = null;
  private watchdog: { cancel(): void } | null = null;
  private asking: { cancel(): void } | null = null;
  private askDelay = askAgain;
  private askingWhy = false;
  private presenceAt = Number.NEGATIVE_INFINITY;
  private presence: { cancel(): void } | null = null;
  private stopped = false;
  private readonly unsubscribe: (() => void) | undefined;

  constructor(options: ProviderOptions) {
    this.options = options;
    this.doc = options.doc;
    this.world = options.world;
    this.since = this.world.now();
    this.pace = new Pace(pace, this.since);
    this.awareness = new Awareness(options.doc);
    this.doc.on('update', this.onUpdate);
    this.awareness.on('update', this.onAwareness);
    this.unsubscribe = this.world.subscribe?.((event) => (event === 'awake' ? this.wake() : this.lineLost()));
    if (options.offline) {
      options.offline.watch(() => this.options.changed?.());
      void this.load(options.offline);
    } else {
      this.loaded = true;
      this.connect();
    }
  }

  private async load(offline: OfflineCopy): Promise<void> {
    try {
      const kept = await offline.load(this.doc, fromCopy);
      if (this.stopped) return;
      this.generation = kept.generation;
      this.filled = kept.generation !== null;
      this.canWrite = kept.canWrite;
      this.history = kept.history;
      const at = this.world.now();
      // Updates typed while it loaded come after those of the copy.
      this.unsaved.unshift(...kept.unsaved.map((update) => ({ update, at })));
      this.made += kept.unsaved.length;
      if (kept.clientId !== null) this.doc.clientID = kept.clientId;
    } catch {
      // Without a copy the document loads as on a first visit.
    }
    if (this.stopped) return;
    this.followClientId();
    this.loaded = true;
    this.connect();
    this.options.changed?.();
  }

  /** How many updates made here are not known to be durable. */
  get pending(): number {
    return this.made - this.durable;
  }

  /** How many updates made here are durable. */
  get saved(): number {
    return this.durable;
  }

  /** The pending updates, to find the words in them. */
  get pendingUpdates(): Uint8Array[] {
    return this.unsaved.map(({ update }) => update);
  }

  /** Whether pending updates survive closing this page. */
  get keptHere(): boolean {
    return this.options.offline?.healthy ?? false;
  }

  /** Whether the offline copy cannot be read. */
  get copyBroken(): boolean {
    return this.options.offline?.broken ?? false;
  }

  /** The state that the save chip shows. */
  get state(): RoomState {
    return {
      connected: this.connected,
      since: this.since,
      ended: this.ended,
      canWrite: this.canWrite,
      pending: this.pending,
      waitingSince: this.unsaved[0]?.at ?? null,
      unstored: this.keptHere ? (this.options.offline?.unstored ?? 0) : this.pending,
      notStored: this.notStored,
      keptHere: this.keptHere,
      savedAt: this.savedAt,
    };
  }

  // ---- Connecting ------------------------------------------------------------------------------

  private connect(): void {
    if (this.stopped || this.ended || this.wire) return;
    const { room, as, guest } = this.options;
    const query = new URLSearchParams({ saved: '1', history: '1', schema: String(schemaVersion) });
    if (this.generation !== null) query.set('generation', String(this.generation));
    if (as !== undefined) query.set('as', as);
    if (guest !== undefined) query.set('guest', guest);
    this.retry?.cancel();
    this.retry = null;
    this.sent = [];
    this.acknowledged = 0;
    this.greeted = false;
    const wire: Wire = this.world.connect(`${room}?${query}`, {
      open: () => this.wire === wire && this.listenForSilence(askAfter, silence - askAfter),
      message: (bytes) => this.wire === wire && this.onMessage(bytes),
      closed: (code, reason) => this.wire === wire && this.onClosed(code, reason),
    });
    this.wire = wire;
    this.listenForSilence(askAfter, silence - askAfter);
  }

  private listenForSilence(before: number, patience: number): void {
    this.watchdog?.cancel();
    this.watchdog = this.world.later(before, () => {
      if (this.connected) this.send({ kind: 'askPresence' });
      this.watchdog = this.world.later(patience, () => this.lineLost());
    });
  }

  /** Connects again after its person has signed in again. */
  resume(): void {
    if (this.ended !== 'session' || this.stopped) return;
    this.ended = null;
    this.attempt = 0;
    this.connect();
    this.options.changed?.();
  }

  /** Takes the connection for lost, whatever the socket says. */
  private lineLost(): void {
    const { wire } = this;
    if (!wire) return;
    this.onClosed(0);
    wire.close();
  }

  /** Connects at once, or checks the connection. */
  private wake(): void {
    if (this.stopped || this.ended || !this.loaded) return;
    if (this.wire) {
      if (this.connected) this.listenForSilence(0, awakeSilence);
      return;
    }
    this.attempt = 0;
    this.connect();
  }

  private onClosed(code: number, reason = ''): void {
    const refused = !this.connected && this.wire !== null;
    this.wire = null;
    if (this.connected) {
      if (this.world.now() - this.since >= goodAfter) this.attempt = 0;
      this.since = this.world.now();
    }
    this.connected = false;
    this.synced = false;
    this.notStored = false;
    this.watchdog?.cancel();
    this.paced?.cancel();
    this.paced = null;
    removeAwarenessStates(
      this.awareness,
      [...this.awareness.getStates().keys()].filter((client) => client !== this.awareness.clientID),
      this,
    );
    const why = this.sendsLess(code, reason) ? null : endOf(code, reason);
    if (why) this.end(why);
    else if (!this.stopped) {
      // Full jitter: a thousand clients that lost the same server come back spread out.
      const most = Math.min(longestDelay, firstDelay * 2 ** this.attempt);
      this.attempt += 1;
      const delay =
        code === close.full ? longestDelay / 2 + this.world.random() * longestDelay : this.world.random() * most;
      this.retry = this.world.later(delay, () => this.connect());
      if (refused && this.attempt > 1) void this.askWhyRefused();
    }
    this.options.changed?.();
  }

  /** Whether less is sent in one message from now on, as the server refused what so much costs. */
  private sendsLess(code: number, reason: string): boolean {
    if (code !== close.badFrame || reason !== tooMuchWork || this.unsaved.length < 2 || this.together === 1)
      return false;
    this.together = this.together === null ? mergedUpdates : Math.ceil(this.together / 10);
    return true;
  }

  /** Asks why the connection was refused again: it may be for good. */
  private async askWhyRefused(): Promise<void> {
    if (this.askingWhy || !this.options.whyRefused) return;
    this.askingWhy = true;
    const why = await this.options.whyRefused().catch(() => null);
    this.askingWhy = false;
    if (why && !this.connected && !this.stopped && !this.ended) this.end(why);
  }

  private end(why: Ended): void {
    this.ended = why;
    this.retry?.cancel();
    this.watchdog?.cancel();
    const { wire } = this;
    this.wire = null;
    if (this.connected) this.since = this.world.now();
    this.connected = false;
    this.synced = false;
    wire?.close();
    this.options.changed?.();
  }

  // ---- Messages --------------------------------------------------------------------------------

  private send(frame: Frame): void {
    this.wire?.send(writeFrame(frame));
  }

  private onMessage(bytes: Uint8Array): void {
    this.listenForSilence(askAfter, silence - askAfter);
    let frame: Frame;
    try {
      frame = readFrame(bytes);
    } catch {
      return this.lineLost();
    }
    const filled = this.filled;
    if (this.synced) this.fill();
    switch (frame.kind) {
      case 'hello':
        // Checked before a byte of the document is exchanged: another generation is never merged with this one.
        if (this.generation !== null && this.generation !== frame.hello.generation) return this.end('generation');
        if (frame.hello.schema !== schemaVersion) return this.end('schema');
        this.generation = frame.hello.generation;
        this.canWrite = frame.hello.canWrite;
        this.outdated = this.history && !frame.hello.history;
        this.history ||= frame.hello.history;
        this.options.offline?.setRoom(frame.hello.generation, frame.hello.canWrite, this.history);
        // A further hello means that this person's rights have changed.
        if (this.connected) this.options.rightsChanged?.();
        if (this.endOutdated()) return;
        if (this.connected) {
          this.sendSoon();
          break;
        }
        this.connected = true;
        this.since = this.world.now();
        this.pace = new Pace(pace, this.since);
        this.send({ kind: 'ask', stateVector: Y.encodeStateVector(this.doc) });
        break;
      case 'ask':
        this.bring(frame.stateVector);
        break;
      case 'state':
      case 'update':
        try {
          Y.applyUpdate(this.doc, frame.update, this);
        } catch {
          // Applied in part: edits on top of it could differ from what everybody else has.
          return this.end('damaged');
        }
        this.followClientId();
        if (frame.kind === 'state') {
          this.synced = true;
          if (!isEmpty(frame.update)) this.fill();
          // All of it may follow as updates at once, or nothing: the answer to this tells.
          else if (!this.filled) this.send({ kind: 'askPresence' });
        }
        this.askForMissing();
        break;
      case 'presence':
        applyAwarenessUpdate(this.awareness, frame.update, this);
        if (filled === this.filled) return;
        break;
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

  private fill(): void {
    if (this.filled) return;
    this.filled = true;
    this.options.offline?.setFilled();
  }

  /** Sends everything the server lacks; from then on each update is sent as it is made. */
  private bring(stateVector: Uint8Array): void {
    this.greeted = true;
    if (this.canWrite) {
      const update = Y.encodeStateAsUpdate(this.doc, stateVector);
      if ((update.byteLength > largeState || this.together !== null) && this.unsaved.length > 0) {
        this.given = this.durable;
        this.sendSoon();
      } else if (this.pending > 0 || !isEmpty(update)) {
        this.given = this.made;
        const upTo = this.made;
        this.onceStored(() => this.sendUpdate('state', update, upTo));
      }
    }
    this.sendPresence();
  }

  /**
   * Runs `work` once everything is in the offline copy: a tab that takes over this tab's client id must find every clock
   * that was ever used with it.
   */
  private onceStored(work: () => void): void {
    const settled = this.options.offline?.settled() ?? null;
    if (!settled) return work();
    const { wire } = this;
    void settled.then(() => {
      if (wire && this.wire === wire) work();
    });
  }

  private sendUpdate(kind: 'state' | 'update', update: Uint8Array, upTo: number): void {
    // The server would close the connection again and again; nobody makes so much at once by hand.
    if (update.byteLength > limits.frameBytes - frameRoom) return this.end('refused');
    this.pace.spend(update.byteLength, this.world.now());
    this.sent.push(upTo);
    this.send({ kind, update });
  }

  private sendSoon(): void {
    const upTo = this.made;
    this.onceStored(() => this.sendUpTo(upTo));
  }

  /** Sends each update as it was made, or merged where many had to wait. */
  private sendUpTo(upTo: number): void {
    while (this.connected && this.greeted && this.canWrite && this.given < upTo) {
      const next = this.unsaved.slice(Math.max(0, this.given - this.durable));
      const [first] = next;
      if (!first) return;
      if (!this.pace.allows(first.update.byteLength, this.world.now())) {
        this.paced ??= this.world.later(100, () => {
          this.paced = null;
          this.sendSoon();
        });
        return;
      }
      let count = 1;
      if (this.pace.short) {
        for (let bytes = first.update.byteLength; count < Math.min(next.length, upTo - this.given); count += 1) {
          bytes += next[count]?.update.byteLength ?? 0;
          if (count >= (this.together ?? mergedUpdates) || bytes > mergedBytes) break;
        }
      }
      const updates = next.slice(0, count).map(({ update }) => update);
      this.given += count;
      this.sendUpdate('update', count === 1 ? first.update : Y.mergeUpdates(updates), this.given);
    }
  }

  /** Asks for what an update that came out of order hangs on. */
  private askForMissing(): void {
    const missing = () => this.doc.store.pendingStructs !== null || this.doc.store.pendingDs !== null;
    if (!missing()) {
      this.askDelay = askAgain;
      return;
    }
    this.asking ??= this.world.later(this.askDelay, () => {
      this.asking = null;
      if (!this.connected || !missing()) return;
      this.askDelay = Math.min(longestAskAgain, this.askDelay * 2);
      this.send({ kind: 'ask', stateVector: Y.encodeStateVector(this.doc) });
    });
  }

  private onSaved(count: number): void {
    this.acknowledged = Math.max(this.acknowledged, count);
    const upTo = this.sent[this.acknowledged - 1];
    if (upTo === undefined) return;
    if (upTo > this.durable) {
      this.unsaved.splice(0, upTo - this.durable);
      this.durable = upTo;
      if (this.unsaved.length === 0) this.together = null;
      this.options.offline?.saved(this.durable);
    }
    this.savedAt = this.world.now();
    this.notStored = false;
    this.endOutdated();
  }

  /** Ends once nothing is left to send, so that the document is fetched again without what was deleted. */
  private endOutdated(): boolean {
    if (!this.outdated || this.pending > 0) return false;
    this.end('history');
    return true;
  }

  private readonly onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin === fromCopy) return;
    if (origin === this) {
      this.options.offline?.keep(update, false);
      return;
    }
    this.made += 1;
    this.unsaved.push({ update, at: this.world.now() });
    this.options.offline?.keep(update, true);
    if (this.connected && this.greeted && this.canWrite) this.sendSoon();
    this.options.changed?.();
  };

  // ---- Presence --------------------------------------------------------------------------------

  private readonly onAwareness = (
    { added, updated, removed }: { added: number[]; updated: number[]; removed: number[] },
    origin: unknown,
  ): void => {
    if (origin === this || !this.connected || !this.greeted) return;
    if (![...added, ...updated, ...removed].includes(this.awareness.clientID)) return;
    // Limits the rate: a caret moves more often than the server passes on.
    const wait = this.presenceAt + presenceEvery - this.world.now();
    if (wait <= 0) this.sendPresence();
    else
      this.presence ??= this.world.later(wait, () => {
        this.presence = null;
        if (this.connected) this.sendPresence();
      });
  };

  private sendPresence(): void {
    const { clientID } = this.awareness;
    if (!this.awareness.meta.has(clientID)) return;
    this.presenceAt = this.world.now();
    this.send({ kind: 'presence', update: encodeAwarenessUpdate(this.awareness, [clientID]) });
  }

  /** Moves presence to the document's client id; awareness keeps the one it began with. */
  private followClientId(): void {
    if (this.awareness.clientID === this.doc.clientID) return;
    const state = this.awareness.getLocalState();
    this.awareness.setLocalState(null);
    this.awareness.clientID = this.doc.clientID;
    this.awareness.setLocalState(state);
  }

  /** Disconnects at once. Pending updates stay in the offline copy. */
  destroy(): void {
    this.stopped = true;
    this.unsubscribe?.();
    this.retry?.cancel();
    this.watchdog?.cancel();
    this.asking?.cancel();
    this.paced?.cancel();
    this.presence?.cancel();
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

function endOf(code: number, reason: string): Ended | null {
  switch (code) {
    case close.sessionEnded:
      return 'session';
    case close.noAccess:
      return 'access';
    case close.otherGeneration:
      return reason === 'another schema' ? 'schema' : 'generation';
    case close.badFrame:
      return 'refused';
    case close.documentFull:
      return 'full';
    default:
      return null;
  }
}

const isEmpty = (update: Uint8Array): boolean => update.byteLength === 2 && update[0] === 0 && update[1] === 0;
