import { createContext, type ComponentType, type ReactNode } from 'react';

/** Action of a capability above `meetings` in the menu of a recording. */
export interface MenuEntry {
  id: string;
  label: string;
  icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: 'true' }>;
  onPress: () => void;
  /** Dialog that it opens. */
  dialog: ReactNode;
}

/** Hook that makes such entries; `client/meeting-panes.tsx` gives it. */
export const MenuEntriesOf = createContext<() => readonly MenuEntry[]>(() => []);
