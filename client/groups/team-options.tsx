import { accountTypeIds, isModelId } from '#shared/account-choices.ts';
import type { GroupView } from '#shared/groups.ts';
import { mailTimes, teamLimits } from '#shared/team-rules.ts';

import { CheckField, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './groups.module.css';
import { SecondPassFields } from './second-pass-fields.tsx';
import { mailTime, type TeamFields } from './team-form.ts';
import { useTeamSets } from './team-sets.ts';

interface TeamOptionFieldsProps {
  /** Null while it is being made. */
  group: (Pick<GroupView, 'id'> & Partial<Pick<GroupView, 'forceOutcomeModel'>>) | null;
  fields: TeamFields;
  onChange: (fields: TeamFields) => void;
  errorOf: (field: string) => string | undefined;
}

/** Settings that only a team with centralized billing has: a group sees which there are, and cannot set them. */
export function TeamOptionFields({ group, fields, onChange, errorOf }: TeamOptionFieldsProps) {
  const { t } = useTranslation(['groups', 'accountType']);
  const forced = [group?.forceOutcomeModel].filter(isModelId);
  const { ids, nameOf, faultOf, hintOf } = useTeamSets(group, forced);
  const off = fields.type !== 'team';
  const set = (changed: Partial<TeamFields>) => onChange({ ...fields, ...changed });
  const typed = (field: 'defaultQuota' | 'maxDurationMins' | 'balanceThreshold') => (
    <TextField
      name={field}
      label={t(`groups:option.${field}`)}
      hint={t(`groups:option.${field}Hint`)}
      inputMode={field === 'maxDurationMins' ? 'numeric' : 'decimal'}
      autoComplete="off"
      maxLength={12}
      value={fields[field]}
      onChange={(value) => set({ [field]: value })}
      error={errorOf(field)}
    />
  );
  const mails = (field: 'notifyAdminOnUpload' | 'assessmentMails') => (
    <SelectField
      name={field}
      label={t(`groups:option.${field}`)}
      hint={field === 'assessmentMails' ? t('groups:option.assessmentMailsHint') : undefined}
      options={mailTimes.map((value) => ({ value, label: t(`groups:mails.${value}`) }))}
      value={fields[field]}
      onChange={(value) => set({ [field]: mailTime(value) })}
    />
  );
  const words = (field: 'invitationEmail' | 'assessmentEmail') => (
    <TextArea
      name={field}
      label={t(`groups:option.${field}`)}
      hint={t('groups:option.wordsHint')}
      rows={2}
      maxLength={teamLimits.words * 2}
      value={fields[field]}
      onChange={(value) => set({ [field]: value })}
      error={errorOf(field)}
    />
  );
  const free = { value: '', label: t('groups:option.free') };
  return (
    <fieldset className={styles.options} data-off={off || undefined}>
      <legend>{t('groups:option.title')}</legend>
      {off && <p className={styles.muted}>{t('groups:option.onlyTeam')}</p>}
      {!off && (
        <div className={styles.pairs}>
          {typed('defaultQuota')}
          {typed('maxDurationMins')}
          {typed('balanceThreshold')}
          {mails('notifyAdminOnUpload')}
          <SelectField
            name="forceAccountType"
            label={t('groups:option.forceAccountType')}
            options={[
              free,
              ...accountTypeIds.map((value) => ({ value, label: t(`accountType:types.${value}.label`) })),
            ]}
            value={fields.forceAccountType}
            onChange={(forceAccountType) => set({ forceAccountType })}
          />
          <SelectField
            name="forceOutcomeModel"
            label={t('groups:option.forceOutcomeModel')}
            options={[free, ...ids.map((value) => ({ value, label: nameOf(value) }))]}
            value={fields.forceOutcomeModel}
            onChange={(forceOutcomeModel) => set({ forceOutcomeModel })}
            hint={hintOf(fields.forceOutcomeModel)}
            error={errorOf('forceOutcomeModel') ?? faultOf(fields.forceOutcomeModel)}
          />
          {words('invitationEmail')}
          {words('assessmentEmail')}
          {mails('assessmentMails')}
          <SecondPassFields {...{ group, fields, set, errorOf }} />
        </div>
      )}
      <CheckField
        label={t('groups:option.hideBuiltinModels')}
        hint={t('groups:option.hideBuiltinModelsHint')}
        checked={fields.hideBuiltinModels}
        onChange={(hideBuiltinModels) => set({ hideBuiltinModels })}
        disabled={off}
      />
      <CheckField
        label={t('groups:option.welcome')}
        checked={fields.welcome}
        onChange={(welcome) => set({ welcome })}
        disabled={off}
      />
    </fieldset>
  );
}
