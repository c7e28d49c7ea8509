import { useTranslation } from 'react-i18next';

import { accountTypeIds, outcomeModelIds, type OutcomeModelId } from '#shared/account-choices.ts';
import { preferring, readPreferred, writePreferred } from '#shared/meetings/outcome-schema.ts';

import { useSession } from '../../../session.ts';
import { SelectField } from '../../../ui/field.tsx';
import { useDocument } from '../../open/meeting-context.ts';
import { useStep } from '../../open/open-text.ts';
import { useShared } from '../../base/use-shared.ts';
import styles from './outcomes-pane.module.css';

/** Choice of the outcome model of this recording, for everyone with permission to edit; others read the choice. */
export function ModelChoice() {
  const { t } = useTranslation(['outcomes', 'profile']);
  const { doc, editable } = useDocument();
  const step = useStep();
  const preferred = useShared(doc.getMap('about'), () => readPreferred(doc)?.model ?? null);
  const type = useSession().data?.account_types.find(({ active }) => active);
  const own = accountTypeIds.find((id) => id === type?.id) ?? null;
  const models = outcomeModelIds.filter((id) => type?.models.some((one) => one.id === id));
  const nameOf = (model: OutcomeModelId) => t(`profile:use.models.${model}`);
  // A single model leaves no choice, unless another one is set.
  if (!editable || (models.length < 2 && preferred === null))
    return preferred && <p className={styles.note}>{t('modelSet', { model: nameOf(preferred) })}</p>;
  const offered = outcomeModelIds.filter((id) => models.includes(id) || id === preferred);
  const choose = (value: string) => {
    const model = offered.find((id) => id === value) ?? null;
    step((by) => writePreferred(doc, model && preferring(model, own), by));
  };
  return (
    <SelectField
      label={t('model')}
      options={[{ value: '', label: t('modelOwn') }, ...offered.map((value) => ({ value, label: nameOf(value) }))]}
      value={preferred ?? ''}
      onChange={choose}
    />
  );
}
