import type * as Y from 'yjs';

import type { Provider } from '#sync/client/provider.ts';
import { readSegments } from '#shared/meetings/transcript.ts';

/** What came together when the line was back. */
export interface Merged {
  /** Changes made here while it was away. */
  mine: number;
  /** Passages that others changed meanwhile. */
  passages: readonly Passage[];
}

export interface Passage {
  id: string;
  text: string;
}

/** A line that was away no longer than this was hardly gone. */
const hiccup = 1_500;
/** So long that what others did is news also to somebody who only read. */
const longAway = 10_000;
/** Behind the first answer come the latest updates, each by itself. */
const settled = 1_000;

interface Trip {
  /** The text of each passage, before anything of others came. */
  before: Map<string, string>;
  changed: Set<string>;
  mine: number;
  /** So many own updates are durable once all of them went up. */
  upTo: number;
}

/** Notices when a document comes back to its room, and what that brought. */
export class Returns {
  private readonly provider: Provider;
  private readonly told: (merged: Merged) => void;
  private goneSince: number | null;
  private met = false;
  private trip: Trip | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(provider: Provider, told: (merged: Merged) => void) {
    this.provider = provider;
    this.told = told;
    this.goneSince = performance.now();
    provider.doc.on('beforeTransaction', this.before);
    provider.doc.on('afterTransaction', this.after);
  }

  /** To be called at every change of the provider. `had`: there was a document before the server spoke. */
  look(had: boolean): void {
    const { connected, synced, saved } = this.provider;
    if (!connected) {
      this.goneSince ??= performance.now();
      clearTimeout(this.timer);
      this.timer = undefined;
      return;
    }
    if (this.goneSince !== null) {
      this.leave(had, performance.now() - this.goneSince);
      this.goneSince = null;
      this.met = true;
    }
    const { trip } = this;
    if (!trip || !synced || saved < trip.upTo || this.timer !== undefined) return;
    this.timer = setTimeout(() => this.arrive(trip), settled);
  }

  private leave(had: boolean, away: number): void {
    const { saved, pending, doc } = this.provider;
    const made = saved + pending;
    if (this.trip) {
      // The line broke again on the way: it is still the same return.
      this.trip.mine += Math.max(0, made - this.trip.upTo);
      this.trip.upTo = made;
      return;
    }
    // What was kept from an earlier visit goes up at once.
    const worthTelling = (pending > 0 && (away >= hiccup || !this.met)) || away >= longAway;
    if (had && worthTelling) this.trip = { before: textsOf(doc), changed: new Set(), mine: pending, upTo: made };
  }

  private arrive(trip: Trip): void {
    this.timer = undefined;
    this.trip = null;
    const now = textsOf(this.provider.doc);
    notice(trip, now);
    const passages = [...trip.changed].map((id) => ({ id, text: now.get(id)?.split('\n', 2)[1]?.trim() ?? '' }));
    if (trip.mine > 0 || passages.length > 0) this.told({ mine: trip.mine, passages });
  }

  /** Somebody may go on typing here while all this comes: that is not what others did. */
  private readonly before = ({ origin }: Y.Transaction, doc: Y.Doc): void => {
    if (this.trip && origin !== this.provider) notice(this.trip, textsOf(doc));
  };

  private readonly after = ({ origin }: Y.Transaction, doc: Y.Doc): void => {
    if (this.trip && origin !== this.provider) this.trip.before = textsOf(doc);
  };

  stop(): void {
    clearTimeout(this.timer);
    this.provider.doc.off('beforeTransaction', this.before);
    this.provider.doc.off('afterTransaction', this.after);
  }
}

function notice(trip: Trip, now: Map<string, string>): void {
  for (const [id, text] of now) if (trip.before.get(id) !== text) trip.changed.add(id);
  for (const id of trip.before.keys()) if (!now.has(id)) trip.changed.add(id);
  trip.before = now;
}

const textsOf = (doc: Y.Doc): Map<string, string> =>
  new Map(readSegments(doc).map(({ id, text, speaker }) => [id ?? '', `${speaker}\n${text}`]));
