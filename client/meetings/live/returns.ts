import type * as Y from 'yjs';

import type { Provider } from '#sync/client/provider.ts';
import { readSegments } from '#shared/meetings/transcript.ts';

/** Result of a merge after the connection came back. */
export interface Merged {
  /** Changes made here while offline. */
  mine: number;
  /** Passages changed by others meanwhile. */
  passages: readonly Passage[];
}

export interface Passage {
  id: string;
  text: string;
}

/** Shorter interruptions are not reported. */
const hiccup = 1_500;
/** Interruptions this long are also reported to readers, for the changes of others. */
const longAway = 10_000;
/** The latest updates follow the server's first answer one by one; waits for them. */
const settled = 1_000;

interface Trip {
  /** Text of each passage before the changes of others. */
  before: Map<string, string>;
  changed: Set<string>;
  mine: number;
  /** Number of local updates the server must confirm before the merge is complete. */
  upTo: number;
}

/** Detects that a document is connected again and reports what was merged. */
export class Returns {
  private readonly provider: Provider;
  private readonly report: (merged: Merged) => void;
  private offlineSince: number | null;
  private wasConnected = false;
  private trip: Trip | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(provider: Provider, report: (merged: Merged) => void) {
    this.provider = provider;
    this.report = report;
    this.offlineSince = performance.now();
    provider.doc.on('beforeTransaction', this.before);
    provider.doc.on('afterTransaction', this.after);
  }

  /** Must be called at every change of the provider. `had`: a document existed before the server answered. */
  look(had: boolean): void {
    const { connected, synced, saved } = this.provider;
    if (!connected) {
      this.offlineSince ??= performance.now();
      clearTimeout(this.timer);
      this.timer = undefined;
      return;
    }
    if (this.offlineSince !== null) {
      this.leave(had, performance.now() - this.offlineSince);
      this.offlineSince = null;
      this.wasConnected = true;
    }
    const { trip } = this;
    if (!trip || !synced || saved < trip.upTo || this.timer !== undefined) return;
    this.timer = setTimeout(() => this.arrive(trip), settled);
  }

  private leave(had: boolean, away: number): void {
    const { saved, pending, doc } = this.provider;
    const made = saved + pending;
    if (this.trip) {
      // Connection lost again during the merge: still the same return.
      this.trip.mine += Math.max(0, made - this.trip.upTo);
      this.trip.upTo = made;
      return;
    }
    // Changes stored during an earlier visit are sent at once.
    const worthTelling = (pending > 0 && (away >= hiccup || !this.wasConnected)) || away >= longAway;
    if (had && worthTelling) this.trip = { before: textsOf(doc), changed: new Set(), mine: pending, upTo: made };
  }

  private arrive(trip: Trip): void {
    this.timer = undefined;
    this.trip = null;
    const now = textsOf(this.provider.doc);
    notice(trip, now);
    const passages = [...trip.changed].map((id) => ({ id, text: now.get(id)?.split('\n', 2)[1]?.trim() ?? '' }));
    if (trip.mine > 0 || passages.length > 0) this.report({ mine: trip.mine, passages });
  }

  /** Local edits during the merge must not count as changes of others. */
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
