import type { ComponentType } from 'react';

/** A pane beside the transcript. Each capability makes its own; the page shows them. */
export interface Pane {
  id: string;
  label: string;
  /** Shown instead of a long label in the narrow tabs of a phone. */
  short?: string;
  icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: 'true' }>;
  /** Shown beside the label of panes that have something to count. */
  Count?: ComponentType;
  Content: ComponentType;
}
