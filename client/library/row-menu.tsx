import {
  IconCopy,
  IconDots,
  IconDownload,
  IconFolderSymlink,
  IconPencil,
  IconTrash,
  IconUserPlus,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { longestTitle } from '#shared/meetings/about.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';

import { useApi } from '../api.ts';
import { dialogPart, useDialogPart } from '../errors/part-dialog.tsx';
import { isUnderWay } from '../progress/progress-line.tsx';
import { useSession } from '../session.ts';
import { useShareDialog } from '../sharing/use-share.tsx';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Dropdown, DropdownButton } from '../ui/dropdown.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import { MoveDialog } from './folder-dialogs.tsx';
import { lieAt, undoFor, useMoves } from './folders-query.ts';
import { useRefreshMeetings } from './meetings-query.ts';
import { useCopyDialog } from './use-copy.tsx';
import { useRemove } from './use-remove.ts';

const ExportDialog = dialogPart(() => import('./export-dialog.tsx'));

/** The menu of a recording in the list; nothing where nothing can be done with it. */
export function RowMenu({ meeting }: { meeting: MeetingHit }) {
  const { t } = useTranslation('library');
  const [renaming, setRenaming] = useState(false);
  const [moving, setMoving] = useState(false);
  const { moveMeetings } = useMoves();
  const mine = useSession().data?.principal.id === meeting.owner.id;
  const remove = useRemove(meeting);
  const sharing = useShareDialog({ id: meeting.id, title: meeting.title });
  const may = (permission: MeetingHit['permissions'][number]) => meeting.permissions.includes(permission);
  const exporting = useDialogPart((props) => <ExportDialog meeting={meeting} {...props} />);
  const copying = useCopyDialog(meeting);
  const exportable = may('read') && meeting.words > 0;
  if (!may('write') && !may('own') && !exportable) return null;
  return (
    <>
      <Dropdown
        label={t('actionsFor', { title: meeting.title || t('untitled') })}
        face={<IconDots size={18} stroke={1.5} aria-hidden="true" />}
      >
        {may('write') && (
          <DropdownButton
            icon={<IconPencil size={18} stroke={1.5} aria-hidden="true" />}
            onPress={() => setRenaming(true)}
          >
            {t('rename')}
          </DropdownButton>
        )}
        {may('own') && (
          <DropdownButton icon={<IconUserPlus size={18} stroke={1.5} aria-hidden="true" />} onPress={sharing.open}>
            {t('share')}
          </DropdownButton>
        )}
        {mine && (
          <DropdownButton
            icon={<IconFolderSymlink size={18} stroke={1.5} aria-hidden="true" />}
            onPress={() => setMoving(true)}
          >
            {t('move')}
          </DropdownButton>
        )}
        {(may('write') || may('own')) && !isUnderWay(meeting.progress) && (
          <DropdownButton icon={<IconCopy size={18} stroke={1.5} aria-hidden="true" />} onPress={copying.open}>
            {t('copy')}
          </DropdownButton>
        )}
        {exportable && (
          <DropdownButton icon={<IconDownload size={18} stroke={1.5} aria-hidden="true" />} onPress={exporting.open}>
            {t('export')}
          </DropdownButton>
        )}
        {may('own') && (
          <DropdownButton icon={<IconTrash size={18} stroke={1.5} aria-hidden="true" />} onPress={remove}>
            {t('delete')}
          </DropdownButton>
        )}
      </Dropdown>
      <Dialog opened={renaming} onClose={() => setRenaming(false)} title={t('rename')} size="sm">
        <RenameForm meeting={meeting} onDone={() => setRenaming(false)} />
      </Dialog>
      {sharing.dialog}
      {copying.dialog}
      {exporting.dialog}
      <MoveDialog
        title={t('folder.moveTitle', { name: meeting.title || t('untitled') })}
        from={meeting.folder === null ? null : lieAt(meeting)}
        opened={moving}
        onClose={() => setMoving(false)}
        onMove={(to) => moveMeetings([meeting], to)}
      />
    </>
  );
}

function RenameForm({ meeting: { id, title }, onDone }: { meeting: MeetingHit; onDone: () => void }) {
  const { t } = useTranslation(['library', 'common']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshMeetings();
  const [typed, setTyped] = useState(title);
  const rename = useMutation({
    mutationFn: (wanted: string) =>
      parseResponse(api.meetings[':id'].rename.$post({ param: { id }, json: { title: wanted } })),
    onSuccess: refresh,
  });
  const wanted = typed.trim();
  const save = async () => {
    if (wanted === title) return onDone();
    await rename.mutateAsync(wanted);
    onDone();
    // A promise, because callbacks of an unmounted form are not called.
    const undo = () =>
      void rename.mutateAsync(title).then(
        () => notify({ type: 'info', message: t('back') }),
        () => {},
      );
    notify({
      type: 'info',
      // An empty title before cannot be restored.
      message:
        title === ''
          ? t('renamed', { title: wanted })
          : [t('renamed', { title: wanted }), ' ', { kind: 'clickable', text: t('undo'), onClick: undo }],
      duration: undoFor,
    });
    return undefined;
  };
  return (
    <Form onSubmit={() => wanted !== '' && void save().catch(() => undefined)}>
      <TextField label={t('newTitle')} value={typed} onChange={setTyped} maxLength={longestTitle} data-autofocus />
      <Actions>
        <Button look="quiet" onClick={onDone}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={rename.isPending} disabled={wanted === ''}>
          {t('save')}
        </Button>
      </Actions>
    </Form>
  );
}
