import { createContext, type ReactNode } from 'react';

/** What a capability above `meetings` shows above the outcomes; `client/meeting-panes.tsx` gives it. */
export const AboveOutcomes = createContext<ReactNode>(null);
