import { IconChevronRight, IconDots, IconFolder, IconFolderSymlink, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

import type { FolderView } from '#shared/folders.ts';
import { pathTo, rootPath, segmentsOf } from '#shared/library.ts';

import { useConfirm, useNotify } from '../store.ts';
import { Dropdown, DropdownButton } from '../ui/dropdown.tsx';
import { draggable, useDrop } from './dragging.ts';
import { MoveDialog, RenameFolderDialog } from './folder-dialogs.tsx';
import { undoFor, useFolderChanges, useMoves } from './folders-query.ts';
import cardLink from './card-link.module.css';
import styles from './folders.module.css';
import { linkTo, type Place } from './place.ts';

/** The way from the library to the folder that is open; something can be dropped on each part of it. */
export function Breadcrumbs({ place }: { place: Place }) {
  const { t } = useTranslation(['library', 'shell']);
  const names = segmentsOf(place.folder);
  return (
    <nav aria-label={t('library:folder.crumbs')}>
      <ol className={styles.crumbs}>
        <Crumb place={place} path={rootPath} name={t('shell:home.title')} />
        {names.map((name, i) => (
          <Crumb key={pathTo(names.slice(0, i + 1))} place={place} path={pathTo(names.slice(0, i + 1))} name={name} />
        ))}
      </ol>
    </nav>
  );
}

function Crumb({ place, path, name }: { place: Place; path: string; name: string }) {
  const drop = useDrop(path);
  const here = path === place.folder;
  return (
    <li className={styles.crumb} {...(here ? {} : drop)}>
      {path !== rootPath && <IconChevronRight size={14} stroke={1.5} aria-hidden="true" />}
      {here ? (
        <span aria-current="page">{name}</span>
      ) : (
        <Link to={linkTo(place, path)} draggable={false}>
          {name}
        </Link>
      )}
    </li>
  );
}

/** The folders of the place one is at, before its recordings. */
export function Folders({ folders, place }: { folders: readonly FolderView[]; place: Place }) {
  const { t } = useTranslation('library');
  if (folders.length === 0) return null;
  return (
    <ul className={styles.folders} aria-label={t('folder.list')}>
      {folders.map((folder) => (
        <FolderCard key={folder.id} folder={folder} place={place} />
      ))}
    </ul>
  );
}

function FolderCard({ folder, place }: { folder: FolderView; place: Place }) {
  const { t } = useTranslation('library');
  const drop = useDrop(folder.path);
  const { name, path, meetings } = folder;
  return (
    <li className={styles.folder} {...drop} {...draggable(() => ({ kind: 'folder', folder: { path, name } }))}>
      <IconFolder className={styles.icon} size={22} stroke={1.5} aria-hidden="true" />
      <div className={styles.words}>
        <Link className={cardLink.link} to={linkTo(place, path)} draggable={false}>
          {name}
        </Link>
        <span>{t('found', { count: meetings })}</span>
      </div>
      <FolderMenu folder={folder} />
    </li>
  );
}

function FolderMenu({ folder }: { folder: FolderView }) {
  const { t } = useTranslation('library');
  const [asked, ask] = useState<'rename' | 'move' | null>(null);
  const { moveFolder, parentOf } = useMoves();
  const remove = useRemoveFolder(folder);
  const close = () => ask(null);
  return (
    <>
      <Dropdown
        label={t('folder.actionsFor', { name: folder.name })}
        face={<IconDots size={18} stroke={1.5} aria-hidden="true" />}
      >
        <DropdownButton icon={<IconPencil size={18} stroke={1.5} aria-hidden="true" />} onPress={() => ask('rename')}>
          {t('folder.rename')}
        </DropdownButton>
        <DropdownButton
          icon={<IconFolderSymlink size={18} stroke={1.5} aria-hidden="true" />}
          onPress={() => ask('move')}
        >
          {t('move')}
        </DropdownButton>
        <DropdownButton
          icon={<IconTrash size={18} stroke={1.5} aria-hidden="true" />}
          onPress={() => void remove().catch(() => {})}
        >
          {t('delete')}
        </DropdownButton>
      </Dropdown>
      <RenameFolderDialog folder={folder} opened={asked === 'rename'} onClose={close} />
      <MoveDialog
        title={t('folder.moveTitle', { name: folder.name })}
        from={parentOf(folder.path)}
        except={folder.path}
        opened={asked === 'move'}
        onClose={close}
        onMove={(dest) => moveFolder(folder, dest)}
      />
    </>
  );
}

/** One with something in it is asked about first: a name alone does not say how much goes with it. */
function useRemoveFolder({ name, path, meetings, folders }: FolderView): () => Promise<void> {
  const { t } = useTranslation('library');
  const confirm = useConfirm();
  const notify = useNotify();
  const { remove, restore } = useFolderChanges();
  return async () => {
    const sure =
      (meetings === 0 && folders === 0) ||
      (await confirm({
        title: t('folder.deleteTitle', { name }),
        text: meetings > 0 ? t('folder.deleteText', { count: meetings }) : t('folder.deleteEmptyText'),
        action: t('delete'),
        danger: true,
      }));
    if (!sure) return;
    // Its card is gone by then, and with it whatever a mutation would still have told it.
    const { id } = await remove.mutateAsync(path);
    const undo = async () => {
      await restore.mutateAsync(id);
      notify({ type: 'info', message: t('folder.restored', { name }) });
    };
    notify({
      type: 'info',
      message: [
        t('folder.deleted', { name }),
        ' ',
        { kind: 'clickable', text: t('undo'), onClick: () => void undo().catch(() => {}) },
      ],
      duration: undoFor,
    });
  };
}
