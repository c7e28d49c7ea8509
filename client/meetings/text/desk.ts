import { readSegments, type Scope } from '#shared/meetings/transcript.ts';
import { Signal } from '#shared/signal.ts';

import type { TranscriptBinding } from './binding.ts';
import { others } from './speakers.ts';

/** A list of speakers is open beside what it was asked for. */
export interface Asked {
  segmentId: string | null;
  /** What the list opens at; null where a key asked. */
  at: HTMLElement | null;
}

/** A segment was given to somebody else: whether more of the same voice was meant stays open for a moment. */
export interface Offer {
  segmentId: string | null;
  from: string;
  to: string;
  following: number;
  all: number;
}

export interface DeskState {
  /** Whose segments are not shown on this page. */
  hidden: ReadonlySet<string>;
  asked: Asked | null;
  offer: Offer | null;
}

/** What one person does with the speakers of the page they are on. What is hidden is theirs alone. */
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

  // ---- Saying who spoke ------------------------------------------------------------------------

  /** Opens the list of speakers for a segment. */
  readonly ask = (segmentId: string | null, at: HTMLElement | null = null): void =>
    this.set({ asked: { segmentId, at }, offer: null });

  readonly answered = (): void => {
    if (this.state.asked) this.set({ asked: null });
  };

  /** This segment first: it is never wrong. What else the same voice said is offered. */
  give(binding: TranscriptBinding, segmentId: string | null, to: string): void {
    const before = readSegments(binding.doc);
    const place = before.findIndex(({ id }) => id === segmentId);
    const from = before[place]?.speaker;
    this.set({ asked: null, offer: null });
    if (from === undefined || from === to) return;
    binding.setSpeaker(segmentId, 'one', to);
    const now = readSegments(binding.doc);
    // Text before the first boundary has only now become a segment with an id.
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
