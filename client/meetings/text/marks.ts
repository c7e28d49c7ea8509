import { Signal } from '#shared/signal.ts';
/** Numbers of annotations that start in a segment. */
export interface Counts {
  comment: number;
  outcome: number;
}

export type Pressed = (kind: keyof Counts, segmentId: string | null) => void;

/** Annotation counts by segment, shared by the code that counts and the code that draws. */
export class SegmentMarks {
  private counts: ReadonlyMap<string | null, Counts> = new Map();
  private readonly signal = new Signal();
  private pressed: Pressed | null = null;

  readonly subscribe = this.signal.subscribe;

  of(id: string | null): Counts | undefined {
    return this.counts.get(id);
  }

  show(counts: ReadonlyMap<string | null, Counts>): void {
    const same =
      counts.size === this.counts.size &&
      [...counts].every(([id, { comment, outcome }]) => {
        const known = this.counts.get(id);
        return known?.comment === comment && known.outcome === outcome;
      });
    if (same) return;
    this.counts = counts;
    this.signal.emit();
  }

  /** Registers the handler for presses; the returned function removes it. */
  onPress(pressed: Pressed): () => void {
    this.pressed = pressed;
    return () => {
      if (this.pressed === pressed) this.pressed = null;
    };
  }

  readonly press: Pressed = (kind, segmentId) => this.pressed?.(kind, segmentId);
}
