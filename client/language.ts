import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { fallbackLanguage, isLanguage, type Language } from '#shared/i18n/languages.ts';

import { useApi } from './api.ts';
import { changeLanguage } from './i18n.ts';
import { useChangedSession, useSession } from './session.ts';

/** The language of the page, and a way to choose another: kept in this browser and, signed in, in the profile. */
export function useLanguage(): readonly [Language, (language: Language) => void] {
  const { i18n } = useTranslation();
  const api = useApi();
  const { data: session } = useSession();
  const changed = useChangedSession();
  const language = isLanguage(i18n.language) ? i18n.language : fallbackLanguage;
  const choose = (next: Language) => {
    void changeLanguage(i18n, next);
    if (session?.principal.kind === 'user') {
      changed((known) => ({ ...known, principal: { ...known.principal, language: next } }));
      // The page already speaks it and this browser remembers; a profile that missed it is caught up next time.
      api.principals.me.$post({ json: { language: next } }).catch(() => undefined);
    }
  };
  return [language, choose];
}

/** The profile's language wins over this browser's once it is known who is here. */
export function useProfileLanguage(): void {
  const { i18n } = useTranslation();
  const language = useSession().data?.principal.language ?? null;
  useEffect(() => {
    if (language && language !== i18n.language) void changeLanguage(i18n, language);
    // Only a newly learnt profile changes the page, not the page's own later choice.
  }, [i18n, language]);
}
