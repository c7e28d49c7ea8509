import { useState } from 'react';

import { isModelId, isOwnModel } from '#shared/account-choices.ts';
import type { SessionInfo } from '#shared/accounts.ts';

import { AccountTypeDialog, useAccountTypeName } from '../account-type.tsx';
import { paths } from '../../paths.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useChoice } from './me.ts';
import styles from './profile.module.css';
import { Section } from './section.tsx';

/** The account type, and the outcomes that come with it. */
export function Use({ session: { principal, account_types, forced } }: { session: SessionInfo }) {
  const { t } = useTranslation(['profile', 'accountType']);
  const nameOf = useAccountTypeName();
  const [choosing, setChoosing] = useState(false);
  const type = account_types.find(({ active }) => active);
  const modelLabel = t('profile:use.model');
  const [model, chooseModel] = useChoice(modelLabel, principal.outcomeModel ?? '', (id) =>
    isModelId(id) ? { outcomeModel: id } : {},
  );
  return (
    <Section title={t('profile:use.title')}>
      <div className={styles.row}>
        <p>{type ? nameOf(type.id) : t('profile:use.none')}</p>
        {!forced?.accountType && (
          <Button look={type ? 'quiet' : 'primary'} onClick={() => setChoosing(true)}>
            {type ? t('profile:use.change') : t('profile:use.choose')}
          </Button>
        )}
      </div>
      {forced?.accountType && <p className={styles.muted}>{t('profile:use.forced', { team: forced.team.name })}</p>}
      {type && (
        <div className={styles.narrow}>
          <SelectField
            label={modelLabel}
            hint={
              forced?.outcomeModel ? t('profile:use.forced', { team: forced.team.name }) : t('profile:use.modelHint')
            }
            options={type.models.map(({ id, name = id }) => ({
              value: id,
              label: isModelId(id) && !isOwnModel(id) ? t(`accountType:models.${id}`) : name,
            }))}
            value={model}
            disabled={type.models.length < 2 || forced?.outcomeModel != null}
            onChange={chooseModel}
          />
        </div>
      )}
      <ButtonLink look="quiet" to={paths.outcomeSets}>
        {t('accountType:own')}
      </ButtonLink>
      <ButtonLink look="quiet" to={paths.glossary}>
        {t('profile:use.glossary')}
      </ButtonLink>
      <AccountTypeDialog opened={choosing} onClose={() => setChoosing(false)} mayCancel />
    </Section>
  );
}
