import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { FolderView } from '#shared/folders.ts';
import { folderLimits, plainName, rootPath, wrongName } from '#shared/library.ts';

import { Failure } from '../errors/failure.tsx';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { undoFor, useFault, useFolderChanges, useFolders } from './folders-query.ts';
import styles from './folders.module.css';

interface Opened {
  opened: boolean;
  onClose: () => void;
}

/** A name is asked for; `onSave` fails where there cannot be a folder of that name. */
function NameForm({
  name,
  action,
  onSave,
  onClose,
}: {
  name: string;
  action: string;
  onSave: (name: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const { t } = useTranslation(['library', 'common']);
  const fault = useFault();
  const [typed, setTyped] = useState(name);
  const [wrong, setWrong] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    const code = wrongName(plainName(typed));
    if (code !== null) return setWrong(t(`library:folder.fault.${code}`));
    setBusy(true);
    try {
      await onSave(plainName(typed));
      onClose();
    } catch (error) {
      setWrong(fault(error));
    }
    return setBusy(false);
  };
  return (
    <Form onSubmit={() => void (busy || save())}>
      <TextField
        label={t('library:folder.name')}
        value={typed}
        onChange={(value) => {
          setTyped(value);
          setWrong(null);
        }}
        error={wrong}
        maxLength={folderLimits.name}
        autoComplete="off"
        data-autofocus
      />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy}>
          {action}
        </Button>
      </Actions>
    </Form>
  );
}

export function NewFolderDialog({ within, opened, onClose }: Opened & { within: string }) {
  const { t } = useTranslation('library');
  const notify = useNotify();
  const { create } = useFolderChanges();
  const save = async (name: string) => {
    await create.mutateAsync(`${within === rootPath ? '' : within}/${name}`);
    notify({ type: 'info', message: t('folder.created', { name }) });
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={t('folder.add')} size="sm">
      <NameForm name="" action={t('folder.create')} onSave={save} onClose={onClose} />
    </Dialog>
  );
}

export function RenameFolderDialog({ folder, opened, onClose }: Opened & { folder: FolderView }) {
  const { t } = useTranslation('library');
  const notify = useNotify();
  const { rename } = useFolderChanges();
  const save = async (name: string) => {
    if (name === folder.name) return;
    const renamed = await rename.mutateAsync({ path: folder.path, name });
    const undo = () =>
      rename.mutate(
        { path: renamed.path, name: folder.name },
        { onSuccess: () => notify({ type: 'info', message: t('folder.nameBack') }) },
      );
    notify({
      type: 'info',
      message: [t('folder.renamed', { name }), ' ', { kind: 'clickable', text: t('undo'), onClick: undo }],
      duration: undoFor,
    });
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={t('folder.rename')} size="sm">
      <NameForm name={folder.name} action={t('save')} onSave={save} onClose={onClose} />
    </Dialog>
  );
}

export interface MoveDialogProps extends Opened {
  title: string;
  /** Where it lies; null where that differs. */
  from: string | null;
  /** A folder that is moved goes neither into itself nor into what lies in it. */
  except?: string;
  onMove: (path: string) => Promise<unknown>;
}

export function MoveDialog({ title, opened, onClose, ...rest }: MoveDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size="sm">
      <Places onClose={onClose} {...rest} />
    </Dialog>
  );
}

/** More than fit a short list: one types a part of the name instead. */
const many = 8;

function Places({ from, except, onMove, onClose }: Omit<MoveDialogProps, 'opened' | 'title'>) {
  const { t } = useTranslation(['library', 'common', 'shell']);
  const { data, error, refetch } = useFolders();
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  if (!data) {
    return error ? (
      <Failure error={error} onRetry={() => void refetch()} />
    ) : (
      <Waiting>
        <Bone width="60%" height="1.25rem" />
      </Waiting>
    );
  }
  const wanted = plainName(typed).toLowerCase();
  const all = [{ path: rootPath, name: t('shell:home.title') }, ...data.folders];
  const open = all.filter(({ path }) => path !== from && !(except && `${path}/`.startsWith(`${except}/`)));
  const shown = all.filter((one) => one.path === chosen || one.name.toLowerCase().includes(wanted));
  const move = async () => {
    if (chosen === null || busy) return;
    setBusy(true);
    try {
      await onMove(chosen);
      onClose();
    } catch {
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={() => void move()}>
      {all.length > many && (
        <TextField type="search" label={t('library:folder.find')} value={typed} onChange={setTyped} />
      )}
      {open.length === 0 && <p>{t('library:folder.nowhere')}</p>}
      <fieldset className={styles.places}>
        <legend className={styles.legend}>{t('library:folder.where')}</legend>
        {shown.map(({ path, name }) => {
          const there = open.some((one) => one.path === path);
          const depth = wanted !== '' || path === rootPath ? 0 : path.split('/').length - 1;
          return (
            <label
              key={path}
              className={styles.place}
              data-off={!there || undefined}
              style={{ '--depth': Math.min(depth, 6) } as React.CSSProperties}
            >
              <input
                type="radio"
                name="place"
                value={path}
                checked={chosen === path}
                disabled={!there}
                onChange={() => setChosen(path)}
                data-autofocus={path === open[0]?.path || undefined}
              />
              <span>{wanted !== '' && path !== rootPath ? path.slice(1).split('/').join(' / ') : name}</span>
              {path === from && <span className={styles.hint}>{t('library:folder.here')}</span>}
            </label>
          );
        })}
      </fieldset>
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy} disabled={chosen === null}>
          {t('library:folder.moveHere')}
        </Button>
      </Actions>
    </Form>
  );
}
