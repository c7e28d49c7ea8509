import { useEffect } from 'react';

import { fallbackLanguage, isLanguage, type Language } from '#shared/i18n/languages.ts';

import { useApi } from './api.ts';
import { changeLanguage } from './i18n.ts';
import { useChangedSession, useSession } from './session.ts';
import { useTranslation } from './use-translation.ts';

/** The language of the page, and its setter: stored in this browser and, when signed in, in the profile. */
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
      // The page and this browser have it already; the profile gets it the next time.
      api.principals.me.$post({ json: { language: next } }).catch(() => undefined);
    }
  };
  return [language, choose];
}

/** The profile's language replaces this browser's once the session is known. */
export function useProfileLanguage(): void {
  const { i18n } = useTranslation();
  const language = useSession().data?.principal.language ?? null;
  useEffect(() => {
    if (language && language !== i18n.language) void changeLanguage(i18n, language);
    // Only a newly loaded profile changes the page, not the page's own later choice.
  }, [i18n, language]);
}
