import { useState } from 'react';

import type { SessionInfo } from '#shared/accounts.ts';
import { isLanguage, languageNames } from '#shared/i18n/languages.ts';

import { useLanguage } from '../../language.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useTranslation } from '../../use-translation.ts';
import { ChangeEmail } from './change-email.tsx';
import styles from './profile.module.css';
import { Section } from './section.tsx';

const languages = Object.entries(languageNames).map(([value, label]) => ({ value, label, lang: value }));

export function About({ session: { principal, groups } }: { session: SessionInfo }) {
  const { t } = useTranslation('profile');
  const [language, choose] = useLanguage();
  const [changing, setChanging] = useState(false);
  const email = principal.email ?? '';
  return (
    <Section title={t('about.title')}>
      <dl className={styles.facts}>
        <div>
          <dt>{t('about.email')}</dt>
          <dd>
            <span dir="ltr">{email}</span>
            {!principal.confirmed && <Chip tone="danger">{t('about.unconfirmed')}</Chip>}
            <Button look="quiet" onClick={() => setChanging(true)}>
              {t('about.changeEmail')}
            </Button>
          </dd>
        </div>
        <div>
          <dt>{t('about.firstName')}</dt>
          <dd>{principal.first_name || '–'}</dd>
        </div>
        <div>
          <dt>{t('about.lastName')}</dt>
          <dd>{principal.last_name || '–'}</dd>
        </div>
        <div>
          <dt>{t('about.teams')}</dt>
          <dd>{groups.length > 0 ? groups.map(({ name }) => name).join(', ') : t('about.noTeams')}</dd>
        </div>
      </dl>
      <div className={styles.narrow}>
        <SelectField
          label={t('about.language')}
          hint={t('about.languageHint')}
          options={languages}
          value={language}
          onChange={(value) => isLanguage(value) && choose(value)}
        />
      </div>
      <ChangeEmail email={email} opened={changing} onClose={() => setChanging(false)} />
    </Section>
  );
}
