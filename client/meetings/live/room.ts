import type { Awareness } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { Signal } from '#shared/signal.ts';

import { browserWorld } from '#sync/client/browser.ts';
import { asideOf, dropCopy, dropRoom, setAside } from '#sync/client/copies.ts';
import { offlineCopy } from '#sync/client/offline.ts';
import { passages } from '#sync/client/passages.ts';
import { Provider, type Ended } from '#sync/client/provider.ts';
import type { RoomState } from '#sync/client/status.ts';

import { takeLine } from '../../early-answers.ts';
import { Returns, type Merged } from './returns.ts';

/** Words of this person that no server has and none will take: to be copied, then let go. */
export interface UnsentWords {
  why: Ended | 'deleted';
  text: string;
  generation: number | null;
  /** What they were written into; the text of the recording where nothing is said. */
  of?: 'text' | 'notes' | 'said' | 'point';
  /** What was spoken, not written. */
  voices?: readonly Blob[];
  /** So many changes that are no words. */
  others?: number;
}

/** What a screen knows of a live document. A new one for each change; `doc` changes when it was started anew. */
export interface LiveDocument {
  live: LiveRoom;
  doc: Y.Doc;
  /** Which document of the room it is; null until that is known. */
  generation: number | null;
  awareness: Awareness;
  state: RoomState;
  ended: Ended | null;
  /** What it holds is shown only when it came from here or from the server. */
  ready: boolean;
  editable: boolean;
  left: readonly UnsentWords[];
  /** What this browser had kept of it cannot be read. */
  copyBroken: boolean;
  /** What the last return to the room brought; a new one for each. */
  merged: Merged | null;
}

interface RoomOptions {
  room: string;
  /** Null where nobody is signed in: then this browser keeps nothing. */
  userId: string | null;
  whyRefused(): Promise<Ended | null>;
  /** What the person may do on this meeting is something else by now. */
  rightsChanged?(): void;
}

const ended = new WeakSet<Y.Doc>();

/** Whether what is written into a document still goes anywhere: a notice stands longer than what it speaks of. */
export const isOpen = (doc: Y.Doc): boolean => !ended.has(doc);

/** A browser is asked now and then whether it still keeps what is made. */
const lookEvery = 2000;
/** A document that has to be started anew more often than this stays as it is. */
const anewEvery = 30_000;
const resumeEvery = 10_000;

/** A live document of this page, over all its beginnings: one ends when the server started the document anew. */
export class LiveRoom {
  private readonly options: RoomOptions;
  private readonly signal = new Signal();
  private readonly looking: ReturnType<typeof setInterval>;
  private readonly guest = randomName();
  private provider: Provider;
  private returns: Returns;
  private merged: Merged | null = null;
  private left: readonly UnsentWords[] = [];
  private begunAt: number;
  private view: LiveDocument;
  private told = false;
  private ending: Provider | null = null;
  private resumedAt = Number.NEGATIVE_INFINITY;
  private kept = true;
  private gone = false;

  constructor(options: RoomOptions) {
    this.options = options;
    this.begunAt = performance.now();
    this.provider = this.begin();
    this.returns = this.watch();
    this.view = this.look();
    this.looking = setInterval(() => {
      if (this.kept !== this.provider.keptHere) this.tell();
    }, lookEvery);
    void this.findAside();
  }

  readonly subscribe = this.signal.subscribe;

  readonly read = (): LiveDocument => this.view;

  private begin(): Provider {
    const { room, userId, whyRefused, rightsChanged } = this.options;
    const provider: Provider = new Provider({
      room,
      doc: new Y.Doc(),
      world: browserWorld(takeLine),
      offline: userId === null ? null : offlineCopy(userId, room),
      as: userId ?? '',
      ...(userId === null && { guest: this.guest }),
      whyRefused,
      ...(rightsChanged && { rightsChanged }),
      changed: () => {
        // Also called while it is being made.
        if (provider === this.provider) this.onChange();
      },
    });
    return provider;
  }

  private end(provider: Provider): void {
    ended.add(provider.doc);
    provider.destroy();
  }

  private watch(): Returns {
    return new Returns(this.provider, (merged) => {
      this.merged = merged;
      this.tell();
    });
  }

  /** In the place of a document that cannot go on. */
  private beginAnew(): void {
    this.returns.stop();
    this.provider = this.begin();
    this.returns = this.watch();
    this.tell();
  }

  private look(): LiveDocument {
    const { provider } = this;
    this.kept = provider.keptHere;
    const ready = provider.filled;
    return {
      live: this,
      doc: provider.doc,
      generation: provider.generation,
      awareness: provider.awareness,
      state: provider.state,
      ended: provider.ended,
      ready,
      editable: ready && provider.canWrite && provider.ended === null,
      left: this.left,
      copyBroken: provider.copyBroken,
      merged: this.merged,
    };
  }

  private onChange(): void {
    const { provider } = this;
    this.returns.look(this.view.ready && this.view.doc === provider.doc);
    if (provider.ended && this.ending !== provider) {
      this.ending = provider;
      void this.onEnded(provider, provider.ended);
    }
    this.lookAtRights();
    this.tell();
  }

  /** Of a page that may only read since: what it made before, and nobody will take. */
  private lowered: UnsentWords | null = null;

  private lookAtRights(): void {
    const { provider } = this;
    const { connected, canWrite, generation } = provider;
    if (this.lowered && canWrite) {
      // Given back in time: it is sent after all.
      this.left = this.left.filter((one) => one !== this.lowered);
      this.lowered = null;
    } else if (!this.lowered && connected && !canWrite && !provider.ended && provider.pendingUpdates.length > 0) {
      this.lowered = { why: 'access', text: unsentText(provider), generation };
      this.left = [...this.left, this.lowered];
    }
  }

  /** Once a turn, however much changed in it. */
  private tell(): void {
    if (this.told || this.gone) return;
    this.told = true;
    queueMicrotask(() => {
      this.told = false;
      if (this.gone) return;
      this.view = this.look();
      this.signal.emit();
    });
  }

  private async onEnded(provider: Provider, why: Ended): Promise<void> {
    // Signed in again, or with a newer page, it goes on where it stopped.
    if (why === 'session' || why === 'schema') return;
    const { room, userId } = this.options;
    const { generation } = provider;
    const unsent = provider.pendingUpdates;
    if (unsent.length > 0) this.left = [...this.left, { why, text: unsentText(provider), generation }];
    if (why === 'generation' || why === 'damaged') {
      const now = performance.now();
      if (why === 'damaged' && now - this.begunAt < anewEvery) return;
      this.begunAt = now;
      this.end(provider);
      if (userId !== null && generation !== null) await setAside(userId, room, generation).catch(() => {});
      if (!this.gone) this.beginAnew();
    } else if (why === 'access' && unsent.length === 0 && userId !== null && generation !== null) {
      // What may not be read any more does not stay here.
      await dropCopy(userId, room, generation).catch(() => {});
    }
  }

  /** From earlier visits: what was made on a document that has been started anew since. */
  private async findAside(): Promise<void> {
    const { room, userId } = this.options;
    if (userId === null) return;
    const found = await asideOf(userId, room).catch(() => []);
    for (const { generation, doc, unsaved } of found) {
      const text = passages(doc, unsaved) || passages(doc, null);
      if (!this.left.some((one) => one.generation === generation))
        this.left = [...this.left, { why: 'generation', text, generation }];
      doc.destroy();
    }
    if (found.length > 0) this.tell();
  }

  /** The same person has signed in again. A server that keeps saying no is not asked without a pause. */
  readonly resume = (): void => {
    const { provider } = this;
    const wait = Math.max(0, this.resumedAt + resumeEvery - performance.now());
    setTimeout(() => {
      if (this.gone || provider !== this.provider) return;
      this.resumedAt = performance.now();
      this.ending = null;
      provider.resume();
    }, wait);
  };

  readonly unsent = (): readonly Uint8Array[] => this.provider.pendingUpdates;

  /** The words of this page that are not safe yet. */
  readonly unsentWords = (): string => passages(this.provider.doc, this.provider.pendingUpdates);

  /** The person has what was left over; nothing of it stays here. */
  readonly letGo = async (words: UnsentWords): Promise<void> => {
    this.left = this.left.filter((one) => one !== words);
    this.tell();
    const { room, userId } = this.options;
    const stuck = words.why === 'refused' || words.why === 'full' || words === this.lowered;
    if (stuck) {
      this.lowered = null;
      this.end(this.provider);
    }
    // A browser that keeps nothing has nothing to drop.
    if (userId !== null && words.generation !== null) await dropCopy(userId, room, words.generation).catch(() => {});
    if (stuck && !this.gone) this.beginAnew();
  };

  /** Gives up what cannot be read; the document itself comes from the server. */
  readonly dropBroken = async (): Promise<void> => {
    const { room, userId } = this.options;
    if (userId !== null) await dropRoom(userId, room);
  };

  close(): void {
    this.gone = true;
    clearInterval(this.looking);
    this.signal.clear();
    this.returns.stop();
    this.end(this.provider);
    this.provider.doc.destroy();
  }
}

/** All of the text where nothing more exact can be told. */
const unsentText = ({ doc, pendingUpdates }: Provider): string => passages(doc, pendingUpdates) || passages(doc, null);

function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(22));
  return Array.from(bytes, (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('');
}
