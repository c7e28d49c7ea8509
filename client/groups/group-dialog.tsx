import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { groupLimits, wrongGroupName } from '#shared/group-rules.ts';
import type { GroupView } from '#shared/groups.ts';
import { plainName } from '#shared/library.ts';

import { useSending } from '../ui/sending.ts';
import { ApiError, useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { useRefreshGroups } from './groups-query.ts';
import styles from './groups.module.css';

interface GroupDialogProps {
  /** The team to change; without it, a new one is created. */
  group?: Pick<GroupView, 'id' | 'name' | 'description'>;
  opened: boolean;
  onClose: () => void;
}

export function GroupDialog({ group, opened, onClose }: GroupDialogProps) {
  const { t } = useTranslation('groups');
  return (
    <Dialog opened={opened} onClose={onClose} title={group ? t('editTitle') : t('addTitle')} size="md" keepOnBackdrop>
      <Body {...(group && { group })} onClose={onClose} />
    </Dialog>
  );
}

function Body({ group, onClose }: Pick<GroupDialogProps, 'group' | 'onClose'>) {
  const { t } = useTranslation(['common', 'groups']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshGroups();
  const [name, setName] = useState(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  const { send, busy, errors, errorOf, refuse } = useSending(
    async (json: { name: string; description: string }) => {
      setSuggestions([]);
      try {
        return await parseResponse(
          group ? api.groups[':id'].$put({ param: { id: group.id }, json }) : api.groups.$post({ json }),
        );
      } catch (error) {
        const free = error instanceof ApiError ? error.info['suggestions'] : undefined;
        if (Array.isArray(free)) setSuggestions(free.filter((one) => typeof one === 'string'));
        throw error;
      }
    },
    (saved) => {
      notify({ type: 'info', message: group ? t('groups:saved') : t('groups:added', { name: saved.name }) });
      onClose();
      void refresh();
    },
  );
  const submit = () => {
    if (busy) return;
    const wrong = wrongGroupName(plainName(name));
    // An empty name is too short, too.
    refuse(wrong ? [{ field: 'name', code: wrong === 'required' ? 'group_name' : wrong }] : []);
    if (!wrong) send({ name, description });
  };
  return (
    <Form label={group ? t('groups:editTitle') : t('groups:addTitle')} errors={errors} onSubmit={submit}>
      <TextField
        name="name"
        label={t('groups:name')}
        hint={t('groups:nameHint')}
        value={name}
        onChange={setName}
        error={errorOf('name')}
        maxLength={groupLimits.name * 2}
        autoComplete="off"
        required
        data-autofocus
      />
      {suggestions.length > 0 && (
        <div className={styles.suggestions} role="group" aria-label={t('groups:suggestions')}>
          <span>{t('groups:suggestions')}</span>
          {suggestions.map((one) => (
            <Button
              key={one}
              look="quiet"
              onClick={() => {
                setName(one);
                setSuggestions([]);
                refuse([]);
              }}
            >
              {one}
            </Button>
          ))}
        </div>
      )}
      <TextArea
        name="description"
        label={t('groups:description')}
        value={description}
        onChange={setDescription}
        error={errorOf('description')}
        maxLength={groupLimits.description}
        rows={3}
      />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy}>
          {group ? t('groups:save') : t('groups:create')}
        </Button>
      </Actions>
    </Form>
  );
}
