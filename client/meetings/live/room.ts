import type { Awareness } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { Signal } from '#shared/signal.ts';

import { browserWorld } from '#sync/client/browser.ts';
import { asideOf, dropCopy, dropIfSaved, dropRoom, setAside } from '#sync/client/copies.ts';
import { offlineCopy } from '#sync/client/offline.ts';
import { passages } from '#sync/client/passages.ts';
import { Provider, type Ended } from '#sync/client/provider.ts';
import type { RoomState } from '#sync/client/status.ts';

import { takeLine } from '../../early-answers.ts';
import { Returns, type Merged } from './returns.ts';

/** Words of this person that no server will accept: shown to be copied, then deleted. */
export interface UnsentWords {
  why: Exclude<Ended, 'history'> | 'deleted' | 'closed';
  text: string;
  generation: number | null;
  /** Kind of text they belong to; default: the recording's transcript. */
  of?: 'text' | 'notes' | 'said' | 'point';
  /** Unsent voice notes. */
  voices?: readonly Blob[];
  /** Number of changes that are no words. */
  others?: number;
}

/**
 * State of a live document for screens. Each change makes a new object; `doc` changes when the document is started
 * anew.
 */
export interface LiveDocument {
  live: LiveRoom;
  doc: Y.Doc;
  /** Number of the document within its room; null until known. */
  generation: number | null;
  awareness: Awareness;
  state: RoomState;
  ended: Ended | null;
  /** True once the content came from this browser's copy or from the server. */
  ready: boolean;
  editable: boolean;
  unsent: readonly UnsentWords[];
  /** True if this browser's copy cannot be read. */
  copyBroken: boolean;
  /** Result of the last merge; a new object each time. */
  merged: Merged | null;
}

interface RoomOptions {
  room: string;
  /** Null without a session; the browser then stores nothing. */
  userId: string | null;
  whyRefused(): Promise<Ended | null>;
  /** Called when the person's permission on this meeting has changed. */
  rightsChanged?(): void;
}

const ended = new WeakSet<Y.Doc>();

/** False after a document ended: a notice may outlive the document its Undo would write to. */
export const isOpen = (doc: Y.Doc): boolean => !ended.has(doc);

/** Interval for checking whether the browser still stores the copy, in ms. */
const lookEvery = 2000;
/** A document damaged again within this time is not started anew. */
const restartEvery = 30_000;
const resumeEvery = 10_000;

/** Live document of this page across restarts: the server may start a document anew, which ends the old one. */
export class LiveRoom {
  private readonly options: RoomOptions;
  private readonly signal = new Signal();
  private readonly looking: ReturnType<typeof setInterval>;
  private readonly guest = randomName();
  private provider: Provider;
  private returns: Returns;
  private merged: Merged | null = null;
  private unsentList: readonly UnsentWords[] = [];
  private begunAt: number;
  private view: LiveDocument;
  private emitting = false;
  private ending: Provider | null = null;
  private resumedAt = Number.NEGATIVE_INFINITY;
  private keptHere = true;
  /** The copy in this browser could not be dropped, so it is not read. */
  private withoutCopy = false;
  private closed = false;

  constructor(options: RoomOptions) {
    this.options = options;
    this.begunAt = performance.now();
    this.provider = this.begin();
    this.returns = this.watch();
    this.view = this.look();
    this.looking = setInterval(() => {
      if (this.keptHere !== this.provider.keptHere) this.tell();
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
      offline: userId === null || this.withoutCopy ? null : offlineCopy(userId, room),
      as: userId ?? '',
      ...(userId === null && { guest: this.guest }),
      whyRefused,
      ...(rightsChanged && { rightsChanged }),
      changed: () => {
        // The provider also calls this during its construction.
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

  /** Replaces a document that has ended. */
  private restart(): void {
    this.returns.stop();
    this.provider = this.begin();
    this.returns = this.watch();
    this.tell();
  }

  private look(): LiveDocument {
    const { provider } = this;
    this.keptHere = provider.keptHere;
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
      unsent: this.unsentList,
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
    this.checkPermission();
    this.tell();
  }

  /** Unsent words of a page whose permission was reduced to reading. */
  private withoutPermission: UnsentWords | null = null;

  private checkPermission(): void {
    const { provider } = this;
    const { connected, canWrite, generation } = provider;
    if (this.withoutPermission && canWrite) {
      // Permission is back: the words are sent after all.
      this.unsentList = this.unsentList.filter((one) => one !== this.withoutPermission);
      this.withoutPermission = null;
    } else if (
      !this.withoutPermission &&
      connected &&
      !canWrite &&
      !provider.ended &&
      provider.pendingUpdates.length > 0
    ) {
      this.withoutPermission = { why: 'access', text: unsentText(provider), generation };
      this.unsentList = [...this.unsentList, this.withoutPermission];
    }
  }

  /** Emits once a microtask, however many changes there are. */
  private tell(): void {
    if (this.emitting || this.closed) return;
    this.emitting = true;
    queueMicrotask(() => {
      this.emitting = false;
      if (this.closed) return;
      this.view = this.look();
      this.signal.emit();
    });
  }

  private async onEnded(provider: Provider, why: Ended): Promise<void> {
    // Continues in place after a sign-in or an update of the page.
    if (why === 'session' || why === 'schema') return;
    const { room, userId } = this.options;
    const { generation } = provider;
    if (why === 'history') {
      // Fetched again without what was deleted; nothing waits to be sent.
      this.end(provider);
      if (userId !== null && generation !== null)
        await dropIfSaved(userId, room, generation).catch(() => (this.withoutCopy = true));
      if (!this.closed) this.restart();
      return;
    }
    const unsent = provider.pendingUpdates;
    if (unsent.length > 0) this.unsentList = [...this.unsentList, { why, text: unsentText(provider), generation }];
    if (why === 'generation' || why === 'damaged') {
      const now = performance.now();
      if (why === 'damaged' && now - this.begunAt < restartEvery) return;
      this.begunAt = now;
      this.end(provider);
      if (userId !== null && generation !== null) await setAside(userId, room, generation).catch(() => {});
      if (!this.closed) this.restart();
    } else if (why === 'access' && unsent.length === 0 && userId !== null && generation !== null) {
      // Without permission to read, no copy stays in this browser.
      await dropCopy(userId, room, generation).catch(() => {});
    }
  }

  /** Finds unsent words of earlier visits, made on a document that was started anew since. */
  private async findAside(): Promise<void> {
    const { room, userId } = this.options;
    if (userId === null) return;
    const found = await asideOf(userId, room).catch(() => []);
    for (const { generation, doc, unsaved } of found) {
      const text = passages(doc, unsaved) || passages(doc, null);
      if (!this.unsentList.some((one) => one.generation === generation))
        this.unsentList = [...this.unsentList, { why: 'generation', text, generation }];
      doc.destroy();
    }
    if (found.length > 0) this.tell();
  }

  /**
   * Reconnects after the same person signed in again, with a pause between attempts in case the server keeps refusing.
   */
  readonly resume = (): void => {
    const { provider } = this;
    const wait = Math.max(0, this.resumedAt + resumeEvery - performance.now());
    setTimeout(() => {
      if (this.closed || provider !== this.provider) return;
      this.resumedAt = performance.now();
      this.ending = null;
      provider.resume();
    }, wait);
  };

  readonly unsent = (): readonly Uint8Array[] => this.provider.pendingUpdates;

  /** Unsent words of this document. */
  readonly unsentWords = (): string => passages(this.provider.doc, this.provider.pendingUpdates);

  private readonly goingWords = new Set<UnsentWords>();

  /**
   * The person has copied the words: removes them from the browser, then from the page, so that a reload does not bring
   * back what the page no longer shows.
   */
  readonly letGo = async (words: UnsentWords): Promise<void> => {
    if (this.goingWords.has(words)) return;
    this.goingWords.add(words);
    const { room, userId } = this.options;
    const stuck = words.why === 'refused' || words.why === 'full' || words === this.withoutPermission;
    if (stuck) this.end(this.provider);
    // Without an account, nothing was stored.
    if (userId !== null && words.generation !== null) await dropCopy(userId, room, words.generation).catch(() => {});
    if (stuck) this.withoutPermission = null;
    this.unsentList = this.unsentList.filter((one) => one !== words);
    this.tell();
    if (stuck && !this.closed) this.restart();
  };

  /** Deletes an unreadable copy; the document then comes from the server. */
  readonly dropBroken = async (): Promise<void> => {
    const { room, userId } = this.options;
    if (userId !== null) await dropRoom(userId, room);
  };

  close(): void {
    this.closed = true;
    clearInterval(this.looking);
    this.signal.clear();
    this.returns.stop();
    this.end(this.provider);
    this.provider.doc.destroy();
  }
}

/** Falls back to the whole text if the unsent part cannot be determined. */
const unsentText = ({ doc, pendingUpdates }: Provider): string => passages(doc, pendingUpdates) || passages(doc, null);

function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(22));
  return Array.from(bytes, (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('');
}
