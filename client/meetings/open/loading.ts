import { createContext } from 'react';

/** Whether a restored or replaced transcript is being loaded: the page still shows the one before, which nobody can change. */
export const LoadingContext = createContext(false);
