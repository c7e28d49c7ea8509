import { useCallback } from 'react';

import { isLanguage, type Language } from '#shared/i18n/languages.ts';

import { useTexts } from '../texts.ts';
import { useTranslation } from '../use-translation.ts';

interface Labels {
  language: Language;
  /** Text of a control by its key. */
  labelOf: (key: string) => string;
}

/** Texts of the controls that the guide names; null until they are loaded. */
export function useLabels(): Labels | null {
  const { t, i18n } = useTranslation();
  const parts = [
    useTexts('document'),
    useTexts('sharing'),
    useTexts('reviews'),
    useTexts('recorder'),
    useTexts('intake'),
  ];
  const ready = parts.every(Boolean);
  // The guide names any key; a test holds that each is there.
  const labelOf = useCallback((key: string) => (t as unknown as (name: string) => string)(key), [t]);
  return ready && isLanguage(i18n.language) ? { language: i18n.language, labelOf } : null;
}
