import { IconArchive, IconArchiveOff, IconCopy, IconDoorExit, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';

import type { GroupView } from '#shared/groups.ts';

import { useConfirm } from '../store.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useTranslation } from '../use-translation.ts';
import { CloneDialog } from './clone-dialog.tsx';
import { GroupDialog } from './group-dialog.tsx';
import { useGroupChanges } from './groups-query.ts';
import styles from './groups.module.css';

/** Actions on a team that the person's role in it permits; each asks first. */
export function GroupMenu({
  group,
  onGone,
}: {
  group: Omit<GroupView, 'members'>;
  /** Called when the person is not a member any more. */
  onGone?: () => void;
}) {
  const { t } = useTranslation('groups');
  const confirm = useConfirm();
  const changes = useGroupChanges(onGone);
  const [open, setOpen] = useState<'edit' | 'clone' | null>(null);
  const { name, role, archived } = group;
  const admin = role === 'admin';
  const asked = async (what: 'archive' | 'unarchive' | 'leave') => {
    const sure = await confirm({
      title: t(`sure.${what}`, { name }),
      text: t(`sure.${what}Text`),
      action: t(what),
      danger: what === 'leave',
    });
    if (sure) changes[what](group);
  };
  const remove = async () => {
    const sure = await confirm({
      title: t('sure.delete', { name }),
      text: t('sure.deleteText'),
      action: t('delete'),
      danger: true,
      word: t('sure.word'),
    });
    if (sure) changes.remove(group);
  };
  const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;
  return (
    <>
      <span className={styles.controls} role="group" aria-label={t('menu', { name })}>
        {admin && !archived && (
          <>
            <IconButton label={t('edit')} icon={<IconPencil {...icon} />} onClick={() => setOpen('edit')} />
            <IconButton label={t('clone')} icon={<IconCopy {...icon} />} onClick={() => setOpen('clone')} />
            <IconButton label={t('archive')} icon={<IconArchive {...icon} />} onClick={() => void asked('archive')} />
          </>
        )}
        {admin && archived && (
          <IconButton
            label={t('unarchive')}
            icon={<IconArchiveOff {...icon} />}
            onClick={() => void asked('unarchive')}
          />
        )}
        <IconButton label={t('leave')} icon={<IconDoorExit {...icon} />} onClick={() => void asked('leave')} />
        {admin && <IconButton label={t('delete')} icon={<IconTrash {...icon} />} onClick={() => void remove()} />}
      </span>
      <GroupDialog group={group} opened={open === 'edit'} onClose={() => setOpen(null)} />
      <CloneDialog group={group} opened={open === 'clone'} onClose={() => setOpen(null)} />
    </>
  );
}
