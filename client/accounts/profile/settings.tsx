import type { ReactNode } from 'react';

import type { Preferences } from '#shared/accounts.ts';

import { SelectField, SwitchField } from '../../ui/field.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useChoice } from './me.ts';
import styles from './profile.module.css';
import { Section } from './section.tsx';

type ToggleName = 'hardcorePrivacy' | 'showConfirmationPopupForOutcomes' | 'pauseOnOutcomeSelecting';
type OppositeName = 'disableAutoCapitalize' | 'disableAutoDecapitalize' | 'disableAutoPeriod';

/** The preferences of the specification, and our own switch for full stops. */
export function Settings({ preferences }: { preferences: Preferences }) {
  const { t } = useTranslation('profile');
  const toggle = (name: ToggleName) => (
    <Setting name={name} saved={preferences[name] ?? false} change={(value) => ({ [name]: value })} />
  );
  // Stored as what is turned off, shown as what is on.
  const opposite = (name: OppositeName) => (
    <Setting name={name} saved={!preferences[name]} change={(value) => ({ [name]: !value })} />
  );
  return (
    <Section title={t('settings.title')} lead={t('settings.lead')}>
      <Group name="listening">
        <Highlighting saved={preferences.transcriptHighlightingMode ?? 'sentence'} />
        <Setting
          name="disablePlayOnDoubleClick"
          saved={!preferences.doc?.disablePlayOnDoubleClick}
          change={(value) => ({ doc: { disablePlayOnDoubleClick: !value } })}
        />
        {toggle('pauseOnOutcomeSelecting')}
      </Group>
      <Group name="writing">
        {opposite('disableAutoCapitalize')}
        {opposite('disableAutoDecapitalize')}
        {opposite('disableAutoPeriod')}
        {toggle('showConfirmationPopupForOutcomes')}
      </Group>
      <Group name="privacy">{toggle('hardcorePrivacy')}</Group>
    </Section>
  );
}

function Group({ name, children }: { name: 'listening' | 'writing' | 'privacy'; children: ReactNode }) {
  const { t } = useTranslation('profile');
  return (
    <fieldset className={styles.settings}>
      <legend>{t(`settings.groups.${name}`)}</legend>
      {children}
    </fieldset>
  );
}

interface SettingProps {
  name: ToggleName | OppositeName | 'disablePlayOnDoubleClick';
  saved: boolean;
  change: (value: boolean) => Preferences;
}

function Setting({ name, saved, change }: SettingProps) {
  const { t } = useTranslation('profile');
  const label = t(`settings.${name}.label`);
  const [on, choose] = useChoice(label, saved, (value) => ({ preferences: change(value) }));
  return <SwitchField label={label} hint={t(`settings.${name}.hint`)} checked={on} onChange={choose} />;
}

function Highlighting({ saved }: { saved: 'sentence' | 'word' }) {
  const { t } = useTranslation('profile');
  const label = t('settings.highlight.label');
  const [mode, choose] = useChoice(label, saved, (transcriptHighlightingMode) => ({
    preferences: { transcriptHighlightingMode },
  }));
  return (
    <div className={styles.narrow}>
      <SelectField
        label={label}
        hint={t('settings.highlight.hint')}
        options={[
          { value: 'sentence', label: t('settings.highlight.sentence') },
          { value: 'word', label: t('settings.highlight.word') },
        ]}
        value={mode}
        onChange={(value) => choose(value === 'word' ? 'word' : 'sentence')}
      />
    </div>
  );
}
