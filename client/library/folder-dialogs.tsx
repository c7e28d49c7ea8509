import { useState } from 'react';

import { folderNeeds, folderLimits, plainName, rootPath, wrongName } from '#shared/library.ts';

import { Failure } from '../errors/failure.tsx';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import {
  placeName,
  undoFor,
  useFault,
  useFolderChanges,
  useFolders,
  useSpots,
  type MovableFolder,
} from './folders-query.ts';
import styles from './folders.module.css';
import { sameSpot, topSpot, type Spot } from './place.ts';

interface Opened {
  opened: boolean;
  onClose: () => void;
}

/** Asks for a name; `onSave` rejects where the name is refused. */
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

export function NewFolderDialog({ within, opened, onClose }: Opened & { within: Spot }) {
  const { t } = useTranslation('library');
  const notify = useNotify();
  const { create } = useFolderChanges();
  const save = async (name: string) => {
    await create.mutateAsync({ ...within, path: `${within.path === rootPath ? '' : within.path}/${name}` });
    notify({ type: 'info', message: t('folder.created', { name }) });
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={t('folder.add')} size="sm">
      <NameForm name="" action={t('folder.create')} onSave={save} onClose={onClose} />
    </Dialog>
  );
}

export function RenameFolderDialog({ folder, opened, onClose }: Opened & { folder: MovableFolder }) {
  const { t } = useTranslation('library');
  const notify = useNotify();
  const { rename } = useFolderChanges();
  const fault = useFault();
  const save = async (name: string) => {
    if (name === folder.name) return;
    const { path, sid } = folder.spot;
    const renamed = await rename.mutateAsync({ path, sid, name });
    const undo = () =>
      void rename.mutateAsync({ path: renamed.path, sid, name: folder.name }).then(
        () => notify({ type: 'info', message: t('folder.nameBack') }),
        (error: unknown) => notify({ message: fault(error) }),
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

interface MoveDialogProps extends Opened {
  title: string;
  /** Their folder; null where they differ. */
  from: Spot | null;
  /** The folder to move, which goes neither into itself nor into another library. */
  folder?: Spot;
  onMove: (to: Spot) => Promise<unknown>;
}

export function MoveDialog({ title, opened, onClose, ...rest }: MoveDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size="sm" room="14rem">
      <Places onClose={onClose} {...rest} />
    </Dialog>
  );
}

/** Lists that are longer have a search field. */
const few = 1;

function Places({ from, folder, onMove, onClose }: Omit<MoveDialogProps, 'opened' | 'title'>) {
  const { t } = useTranslation(['library', 'common', 'shell']);
  const { data, error, refetch } = useFolders();
  const spotOf = useSpots();
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
  const library = t('shell:home.title');
  const tops = new Map(data.folders.map((one) => [one.id, one]));
  const all = [
    { spot: topSpot, name: library, whole: library, by: '' },
    ...data.folders
      .filter(({ permissions }) => permissions.includes(folderNeeds.add))
      .map((one) => {
        const spot = spotOf(one);
        const top = spot.sid === null ? undefined : tops.get(spot.sid);
        const whole = placeName(one.path, one.name, top?.name);
        return { spot, name: one.name, whole, by: top?.id === one.id ? one.owner.name : '' };
      }),
  ].filter(({ spot }) => folder === undefined || spot.sid === folder.sid);
  const inside = (spot: Spot) => folder !== undefined && `${spot.path}/`.startsWith(`${folder.path}/`);
  const keyOf = ({ path, sid }: Spot) => `${sid ?? ''}${path}`;
  const open = all.filter(({ spot }) => !(from && sameSpot(spot, from)) && !inside(spot));
  const shown = all.filter((one) => keyOf(one.spot) === chosen || one.name.toLowerCase().includes(wanted));
  const move = async () => {
    const to = all.find(({ spot }) => keyOf(spot) === chosen)?.spot;
    if (!to || busy) return;
    setBusy(true);
    try {
      await onMove(to);
      onClose();
    } catch {
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={() => void move()}>
      {all.length > few && (
        <TextField type="search" label={t('library:folder.find')} value={typed} onChange={setTyped} />
      )}
      {open.length === 0 && <p>{t('library:folder.nowhere')}</p>}
      <fieldset className={styles.places}>
        <legend className={styles.legend}>{t('library:folder.where')}</legend>
        {shown.map(({ spot, name, whole, by }) => {
          const { path, sid } = spot;
          const key = keyOf(spot);
          const there = open.some((one) => one.spot === spot);
          const below = path === rootPath ? 0 : path.split('/').length - 1;
          const depth = wanted !== '' ? 0 : below + (sid === null ? 0 : 1);
          return (
            <label
              key={key}
              className={styles.place}
              data-off={!there || undefined}
              style={{ '--depth': Math.min(depth, 6) } as React.CSSProperties}
            >
              <input
                type="radio"
                name="place"
                value={key}
                checked={chosen === key}
                disabled={!there}
                onChange={() => setChosen(key)}
                data-autofocus={spot === open[0]?.spot || undefined}
              />
              <span>{wanted === '' ? name : whole}</span>
              {by !== '' && <span className={styles.hint}>{t('library:folder.by', { name: by })}</span>}
              {from && sameSpot(spot, from) && <span className={styles.hint}>{t('library:folder.here')}</span>}
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
