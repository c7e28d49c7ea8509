import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { parseResponse } from 'hono/client';

import { accountTypeIds, isModelId, isOwnModel, type ModelId } from '#shared/account-choices.ts';
import type { GroupDetail } from '#shared/groups.ts';
import { outcomeModels } from '#shared/meetings/outcome-types.ts';
import type { OutcomeModelView } from '#shared/outcome-models.ts';
import { forcedModel, forcedType, offeredModels, type Ruling } from '#shared/team-rules.ts';

import { useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useSending } from '../ui/sending.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { useRefreshGroups, useTeamFaults } from './groups-query.ts';
import styles from './groups.module.css';
import { useTeamSets } from './team-sets.ts';

interface CompetenciesDialogProps {
  group: GroupDetail;
  opened: boolean;
  onClose: () => void;
}

/** Chooses the competencies that a team offers its members, with a preview of what they will see. */
export function CompetenciesDialog({ group, opened, onClose }: CompetenciesDialogProps) {
  const { t } = useTranslation('groups');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('competencies.title')} size="lg" keepOnBackdrop>
      <Body group={group} onClose={onClose} />
    </Dialog>
  );
}

interface Row {
  key: number;
  model: ModelId;
}

function Body({ group, onClose }: Omit<CompetenciesDialogProps, 'opened'>) {
  const { t } = useTranslation(['common', 'groups']);
  const ready = useTexts('document');
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshGroups();
  const [rows, setRows] = useState<readonly Row[]>(() =>
    group.models.filter(isModelId).map((model, key) => ({ key, model })),
  );
  const chosen = [...new Set(rows.map(({ model }) => model))];
  const { send, busy, errors } = useSending(
    () =>
      parseResponse(
        api.groups[':id'].$put({
          param: { id: group.id },
          json: {
            modelsInclude: chosen,
            modelsExclude: group.models.filter(isModelId).filter((id) => !chosen.includes(id)),
          },
        }),
      ),
    () => {
      notify({ type: 'info', message: t('groups:competencies.done') });
      onClose();
      void refresh();
    },
    useTeamFaults(),
  );
  const { ids, sets, nameOf, faultOf, hintOf, ready: named } = useTeamSets(group, group.models.filter(isModelId));
  const noSets = hintOf('');
  const free = ids.filter((id) => !chosen.includes(id) && faultOf(id) === undefined);
  const add = () =>
    free[0] && setRows([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, model: free[0] }]);
  return (
    <Form label={t('groups:competencies.title')} errors={errors} onSubmit={() => !busy && send(undefined)}>
      <p className={styles.muted}>{t('groups:competencies.lead')}</p>
      {rows.length === 0 && <p>{t('groups:competencies.none')}</p>}
      <div className={styles.rows}>
        {rows.map(({ key, model }) => (
          <div key={key} className={styles.picker}>
            <SelectField
              label={t('groups:competencies.model')}
              options={ids
                .filter((id) => id === model || free.includes(id))
                .map((id) => ({ value: id, label: nameOf(id) }))}
              value={model}
              hint={isOwnModel(model) && hintOf(model)}
              error={faultOf(model)}
              onChange={(value) =>
                setRows(
                  rows.map((row) => (row.key === key ? { key, model: ids.find((id) => id === value) ?? model } : row)),
                )
              }
            />
            <IconButton
              label={t('groups:competencies.remove')}
              icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
              onClick={() => setRows(rows.filter((row) => row.key !== key))}
            />
          </div>
        ))}
      </div>
      <Button
        look="quiet"
        icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}
        disabled={free.length === 0}
        onClick={add}
      >
        {t('groups:competencies.add')}
      </Button>
      {noSets && <p className={styles.muted}>{noSets}</p>}
      {ready && named ? (
        <Preview group={group} models={chosen} sets={sets} nameOf={nameOf} />
      ) : (
        <Waiting label={t('groups:waiting')}>
          <Bone width="60%" height="1.25rem" />
        </Waiting>
      )}
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy}>
          {t('groups:competencies.apply')}
        </Button>
      </Actions>
    </Form>
  );
}

interface PreviewProps {
  group: GroupDetail;
  models: readonly string[];
  sets: readonly OutcomeModelView[];
  nameOf: (model: ModelId) => string;
}

/** The outcome types that members of each account type will be offered. */
function Preview({ group, models, sets, nameOf }: PreviewProps) {
  const { t } = useTranslation(['groups', 'accountType', 'outcomes']);
  const ruling: Ruling = {
    ...{ id: group.id, name: group.name, type: group.type, models, sets },
    forceAccountType: group.forceAccountType ?? null,
    forceOutcomeModel: group.forceOutcomeModel ?? null,
    hideBuiltinModels: group.hideBuiltinModels ?? false,
  };
  const forced = forcedType(ruling);
  return (
    <section className={styles.preview} aria-label={t('groups:competencies.preview')}>
      <h3>{t('groups:competencies.preview')}</h3>
      {accountTypeIds
        .filter((id) => forced === null || id === forced)
        .map((id) => (
          <div key={id}>
            <h4>{t('groups:competencies.previewFor', { type: t(`accountType:types.${id}.label`) })}</h4>
            <ul>
              {offeredModels(id, ruling)
                .filter((model) => forcedModel(ruling) === null || model === forcedModel(ruling))
                .map((model) => (
                  <li key={model}>
                    <strong>{nameOf(model)}</strong>
                    <span>
                      {isOwnModel(model)
                        ? sets
                            .find(({ id: set }) => set === model)
                            ?.types.flatMap(({ name, retired }) => (retired ? [] : name))
                            .join(', ')
                        : outcomeModels[model].types
                            .filter(({ readOnly }) => !readOnly)
                            .map((type) => t(`outcomes:types.${type.id}` as 'outcomes:types.notes'))
                            .join(', ')}
                    </span>
                  </li>
                ))}
            </ul>
          </div>
        ))}
    </section>
  );
}
