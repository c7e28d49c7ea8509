import { IconWorld } from '@tabler/icons-react';

import { isLanguage, languageNames } from '#shared/i18n/languages.ts';

import { useLanguage } from '../language.ts';
import { useTranslation } from '../use-translation.ts';
import { DropdownSelect } from './dropdown.tsx';

/** Choice of the language in the menu of a page that has no switch in its header. */
export function LanguageEntry() {
  const { t } = useTranslation('shell');
  const [language, choose] = useLanguage();
  return (
    <li>
      <DropdownSelect
        label={t('language')}
        icon={<IconWorld size={18} stroke={1.5} aria-hidden="true" />}
        options={Object.entries(languageNames).map(([id, name]) => ({ value: id, label: name, lang: id }))}
        value={language}
        onChange={(next) => isLanguage(next) && choose(next)}
      />
    </li>
  );
}
