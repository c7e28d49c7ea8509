import type { DefaultNamespace, FlatNamespace, i18n, Namespace, TFunction } from 'i18next';
import { createContext, use, useSyncExternalStore } from 'react';

interface Translation<Ns extends Namespace> {
  t: TFunction<Ns>;
  i18n: i18n;
}

export const I18nContext = createContext<i18n | null>(null);

const translationsOf = new WeakMap<i18n, Translations>();

/**
 * Texts of these namespaces in the language of the page; keys without a prefix are of the first one. `t` and `i18n` change
 * with the language alone, and not when further texts are loaded: `useTexts` waits for those.
 */
export function useTranslation<const Ns extends Namespace = DefaultNamespace>(namespaces?: Ns): Translation<Ns> {
  const all = use(I18nContext);
  if (!all) throw new Error('useTranslation needs I18nContext above it');
  const wanted: Namespace = namespaces ?? 'common';
  const first = typeof wanted === 'string' ? wanted : (wanted[0] ?? 'common');
  const translations = translationsOf.get(all) ?? new Translations(all);
  const read = () => translations.read(first);
  return useSyncExternalStore(translations.subscribe, read, read) as Translation<Ns>;
}

/** Made once for each language and namespace, whatever the number of components. */
class Translations {
  private readonly all: i18n;
  private i18n: i18n;
  private readonly made = new Map<FlatNamespace, Translation<Namespace>>();

  constructor(all: i18n) {
    this.all = all;
    this.i18n = inItsLanguage(all);
    translationsOf.set(all, this);
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.all.on('languageChanged', changed);
    return () => this.all.off('languageChanged', changed);
  };

  read(namespace: FlatNamespace): Translation<Namespace> {
    if (this.i18n.language !== this.all.language) {
      this.i18n = inItsLanguage(this.all);
      this.made.clear();
    }
    const { i18n, made } = this;
    const translation = made.get(namespace) ?? { t: i18n.getFixedT(i18n.language, namespace), i18n };
    made.set(namespace, translation);
    return translation;
  }
}

/** The same i18n as another object, whose language stays: effects that name `i18n` run again when the language changes. */
const inItsLanguage = (all: i18n): i18n =>
  Object.create(all, { language: { value: all.language, enumerable: true } }) as i18n;
