import { createContext, type ComponentType, type ReactNode } from 'react';

interface PartsOfPanes {
  /** Beside the points of a summary and the chapters. */
  summary: ReactNode;
  contents: ReactNode;
  /** Beside one point of the summary. */
  Point: ComponentType<{ id: string }> | null;
}

/** Parts that a capability on a higher floor than `meetings` shows in its panes; `client/meeting-panes.tsx` gives them. */
export const InPanes = createContext<PartsOfPanes>({ summary: null, contents: null, Point: null });
