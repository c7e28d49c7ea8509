import type { ComponentType } from 'react';

/** Pane beside the transcript. Each capability defines its own; the page shows them. */
export interface Pane {
  id: string;
  label: string;
  /** Replaces a long label in a phone's narrow tabs. */
  short?: string;
  icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: 'true' }>;
  /** Place of its button: an icon of the rail, also a tab on phones, or a line of More. Phones list the rest in More. */
  button: 'tab' | 'rail' | 'more';
  /** Count shown beside the label. */
  Count?: ComponentType;
  Content: ComponentType;
}
