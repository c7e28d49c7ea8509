import { createContext, type ReactNode } from 'react';

/** Part that a capability on a higher floor than `meetings` shows above the outcomes; `client/meeting-panes.tsx` gives it. */
export const AboveOutcomes = createContext<ReactNode>(null);
