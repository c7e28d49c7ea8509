import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { groupLimits } from '#shared/group-rules.ts';
import type { GroupView, NewGroupView } from '#shared/groups.ts';

import { useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, TextArea } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { useSending } from '../ui/sending.ts';
import { useTranslation } from '../use-translation.ts';
import { useRefreshGroups, useTeamFaults } from './groups-query.ts';
import styles from './groups.module.css';
import { NameField, useName } from './name-field.tsx';
import { sentFields, teamFields, wrongFields } from './team-form.ts';
import { TeamOptionFields } from './team-options.tsx';

interface GroupDialogProps {
  /** The team to change; without it, a new one is created. */
  group?: Partial<GroupView> & Pick<GroupView, 'id' | 'name' | 'description'>;
  opened: boolean;
  onClose: () => void;
}

export function GroupDialog({ group, opened, onClose }: GroupDialogProps) {
  const { t } = useTranslation('groups');
  return (
    <Dialog opened={opened} onClose={onClose} title={group ? t('editTitle') : t('addTitle')} size="lg" keepOnBackdrop>
      <Body {...(group && { group })} onClose={onClose} />
    </Dialog>
  );
}

function Body({ group, onClose }: Pick<GroupDialogProps, 'group' | 'onClose'>) {
  const { t, i18n } = useTranslation(['common', 'groups']);
  const api = useApi();
  const saved = useSaved(onClose);
  const faults = useTeamFaults();
  const named = useName(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const [fields, setFields] = useState(() => teamFields(group, i18n.language));
  const [folder, setFolder] = useState(false);
  const { send, busy, errors, errorOf, refuse } = useSending(
    (json: { name: string; description: string }) => {
      // The server checks what a newer page may know better.
      const body = { ...json, ...(sentFields(fields) as object) };
      return named.trying(async (): Promise<GroupView | NewGroupView> =>
        group
          ? parseResponse(api.groups[':id'].$put({ param: { id: group.id }, json: body }))
          : parseResponse(api.groups.$post({ json: { ...body, folder } })),
      );
    },
    (made) => saved(made, group === undefined),
    faults,
  );
  const submit = () => {
    if (busy) return;
    const wrong = [...named.wrong(), ...wrongFields(fields)];
    refuse(wrong);
    if (wrong.length === 0) send({ name: named.name, description });
  };
  const before = group?.type ?? 'group';
  const isTeam = fields.type === 'team';
  return (
    <Form label={group ? t('groups:editTitle') : t('groups:addTitle')} errors={errors} onSubmit={submit}>
      <NameField of={named} error={errorOf('name')} onTaken={() => refuse([])} />
      <TextArea
        name="description"
        label={t('groups:description')}
        value={description}
        onChange={setDescription}
        error={errorOf('description')}
        maxLength={groupLimits.description}
        rows={2}
      />
      <Choices
        label={t('groups:kind.label')}
        value={fields.type}
        onChange={(type) => setFields({ ...fields, type: type === 'team' ? 'team' : 'group' })}
        choices={[
          { value: 'group', label: t('groups:kind.group'), hint: t('groups:kind.groupHint') },
          { value: 'team', label: t('groups:kind.team'), hint: t('groups:kind.teamHint') },
        ]}
      />
      {fields.type !== before && (
        <p className={styles.note} role="note">
          {isTeam ? t('groups:payFrom') : t('groups:payEnd')}
        </p>
      )}
      {!group && (
        <CheckField
          label={t('groups:folder')}
          hint={t('groups:folderHint')}
          error={errorOf('folder')}
          checked={folder}
          onChange={setFolder}
        />
      )}
      <TeamOptionFields group={group ?? null} fields={fields} onChange={setFields} errorOf={errorOf} />
      <Actions stays>
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

/** Says what was saved, with a link to the folder that was made. */
function useSaved(onClose: () => void) {
  const { t } = useTranslation('groups');
  const notify = useNotify();
  const refresh = useRefreshGroups();
  return async (saved: GroupView | NewGroupView, added: boolean) => {
    const made = 'folder' in saved ? saved.folder : null;
    const { name } = saved;
    notify({
      type: 'info',
      message: made
        ? [
            t('folderMade', { name, folder: made.path.slice(1) }),
            ' ',
            { kind: 'link', href: `/folder/${encodeURIComponent(made.path.slice(1))}`, text: t('openFolder') },
          ]
        : added
          ? t('added', { name })
          : t('saved'),
    });
    // Opened again before that, the dialog would save what was there before.
    await refresh().catch(() => undefined);
    onClose();
  };
}
