import { readSegments, type Scope } from '#shared/meetings/transcript.ts';
import { Signal } from '#shared/signal.ts';

import type { TranscriptBinding } from './binding.ts';
import { others } from './speakers.ts';

/** Segment whose list of speakers is open. */
export interface Asked {
  segmentId: string | null;
  /** Element that the list opens at; null if opened by a shortcut. */
  at: HTMLElement | null;
}

/** After one segment got another speaker: offers the same change for the rest of the old speaker's segments. */
export interface Offer {
  segmentId: string | null;
  from: string;
  to: string;
  following: number;
  all: number;
}

export interface DeskState {
  /** Speakers whose segments are hidden on this page. */
  hidden: ReadonlySet<string>;
  asked: Asked | null;
  offer: Offer | null;
}

/** Speaker state of one page: hidden speakers (for this person only), the open list, the pending offer. */
export class SpeakerDesk {
  private state: DeskState = { hidden: new Set(), asked: null, offer: null };
  private readonly signal = new Signal();

  readonly subscribe = this.signal.subscribe;

  readonly now = (): DeskState => this.state;

  private set(change: Partial<DeskState>): void {
    this.state = { ...this.state, ...change };
    this.signal.emit();
  }

  // ---- Hiding ----------------------------------------------------------------------------------

  hide(speaker: string, hidden: boolean): void {
    const next = new Set(this.state.hidden);
    if (hidden) next.add(speaker);
    else next.delete(speaker);
    this.set({ hidden: next });
  }

  readonly showAll = (): void => this.set({ hidden: new Set() });

  // ---- Assigning speakers ----------------------------------------------------------------------

  readonly ask = (segmentId: string | null, at: HTMLElement | null = null): void =>
    this.set({ asked: { segmentId, at }, offer: null });

  readonly answered = (): void => {
    if (this.state.asked) this.set({ asked: null });
  };

  /** Changes only this segment, then offers the other segments of the same speaker. */
  give(binding: TranscriptBinding, segmentId: string | null, to: string): void {
    const before = readSegments(binding.doc);
    const place = before.findIndex(({ id }) => id === segmentId);
    const from = before[place]?.speaker;
    this.set({ asked: null, offer: null });
    if (from === undefined || from === to) return;
    binding.setSpeaker(segmentId, 'one', to);
    const now = readSegments(binding.doc);
    // Text before the first boundary becomes a segment with an id only by this change.
    const id = now[place]?.id ?? segmentId;
    const more = { following: others(now, id, from, 'following').length, all: others(now, id, from, 'all').length };
    if (more.all > 0) this.set({ offer: { segmentId: id, from, to, ...more } });
  }

  widen(binding: TranscriptBinding, scope: Scope): void {
    const { offer } = this.state;
    this.set({ offer: null });
    if (!offer || scope === 'one') return;
    const [first] = others(readSegments(binding.doc), offer.segmentId, offer.from, scope);
    if (first) binding.setSpeaker(first.id, scope, offer.to);
  }

  readonly settled = (): void => {
    if (this.state.offer) this.set({ offer: null });
  };
}
