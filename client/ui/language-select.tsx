import { IconWorld } from '@tabler/icons-react';

import { isLanguage, languageNames } from '#shared/i18n/languages.ts';

import { useLanguage } from '../language.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './language-select.module.css';

/** Language switch of the header; the profile has the same choice as a field. */
export function LanguageSelect() {
  const { t } = useTranslation('shell');
  const [language, choose] = useLanguage();
  return (
    <label className={styles.select}>
      <IconWorld size={20} stroke={1.5} aria-hidden="true" />
      <span className={styles.name} aria-hidden="true">
        {languageNames[language]}
      </span>
      <select
        aria-label={t('language')}
        value={language}
        onChange={(event) => isLanguage(event.target.value) && choose(event.target.value)}
      >
        {Object.entries(languageNames).map(([id, name]) => (
          <option key={id} value={id} lang={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
