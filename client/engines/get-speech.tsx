import type { ReactNode } from 'react';

import { part } from '../errors/part.tsx';
import { isAtHome } from './use-models.ts';

const Panel = part(() => import('./speech-panel.tsx'));

export interface GetSpeechProps {
  /** Text for people who cannot install models. */
  otherwise?: ReactNode;
  /** There is speech recognition already; this adds further models. */
  more?: boolean;
}

/** Offers speech recognition to somebody at the computer that serves the page. */
export function GetSpeech({ otherwise = null, more = false }: GetSpeechProps) {
  return isAtHome() ? <Panel otherwise={otherwise} more={more} /> : otherwise;
}
