import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { isOwnModel } from '#shared/account-choices.ts';
import type { GroupView } from '#shared/groups.ts';

import { useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { useSending } from '../ui/sending.ts';
import { useTranslation } from '../use-translation.ts';
import { useRefreshGroups, useTeamFaults } from './groups-query.ts';
import styles from './groups.module.css';
import { NameField, useName } from './name-field.tsx';

interface CloneDialogProps {
  group: Pick<GroupView, 'id' | 'name' | 'models' | 'forceOutcomeModel'>;
  opened: boolean;
  onClose: () => void;
}

export function CloneDialog({ group, opened, onClose }: CloneDialogProps) {
  const { t } = useTranslation('groups');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('cloneTitle', { name: group.name })} size="md" keepOnBackdrop>
      <Body group={group} onClose={onClose} />
    </Dialog>
  );
}

function Body({ group: { id, name, models, forceOutcomeModel = null }, onClose }: Omit<CloneDialogProps, 'opened'>) {
  const { t } = useTranslation(['common', 'groups']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshGroups();
  const named = useName(name);
  const [copyMembers, setCopyMembers] = useState(false);
  const { send, busy, errors, errorOf, refuse } = useSending(
    (json: { name: string; copyMembers: boolean }) =>
      named.trying(() => parseResponse(api.groups[':id'].clone.$post({ param: { id }, json }))),
    (made) => {
      notify({ type: 'info', message: t('groups:cloned', { name: made.name }) });
      onClose();
      void refresh();
    },
    useTeamFaults(),
  );
  const submit = () => {
    if (busy) return;
    const wrong = named.wrong();
    refuse(wrong);
    if (wrong.length === 0) send({ name: named.name, copyMembers });
  };
  return (
    <Form label={t('groups:cloneTitle', { name })} errors={errors} onSubmit={submit}>
      <NameField of={named} error={errorOf('name')} onTaken={() => refuse([])} />
      <CheckField
        label={t('groups:copyMembers')}
        hint={t('groups:copyMembersHint')}
        checked={copyMembers}
        onChange={setCopyMembers}
      />
      {[...models, forceOutcomeModel].some(isOwnModel) && <p className={styles.muted}>{t('groups:sets.cloned')}</p>}
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy}>
          {t('groups:clone')}
        </Button>
      </Actions>
    </Form>
  );
}
