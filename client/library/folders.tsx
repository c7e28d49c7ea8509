import {
  IconChevronRight,
  IconDots,
  IconFileZip,
  IconFolder,
  IconFolderShare,
  IconFolderSymlink,
  IconPencil,
  IconTrash,
  IconUserMinus,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';

import type { FolderView } from '#shared/folders.ts';
import { joinSentences } from '#shared/i18n/sentences.ts';
import { folderNeeds, pathTo, rootPath, segmentsOf } from '#shared/library.ts';

import { useSession } from '../session.ts';
import { useShareDialog } from '../sharing/use-share.tsx';
import { useConfirm, useNotify } from '../store.ts';
import { Dropdown, DropdownButton } from '../ui/dropdown.tsx';
import { useTranslation } from '../use-translation.ts';
import { useArchiveFolder } from './use-archive-folder.ts';
import { draggable, useDrop } from './dragging.ts';
import { MoveDialog, RenameFolderDialog } from './folder-dialogs.tsx';
import { undoFor, useFolderChanges, useHere, useMoves, useSpots } from './folders-query.ts';
import cardLink from './card-link.module.css';
import styles from './folders.module.css';
import { linkTo, sameSpot, spotOf, topSpot, type Place, type Spot } from './place.ts';

/** The breadcrumb to the open folder; each part is a drop target. */
export function Breadcrumbs({ place }: { place: Place }) {
  const { t } = useTranslation(['library', 'shell']);
  const { top, here } = useHere(place);
  const names = segmentsOf(place.folder);
  const { sid } = place;
  const may = sid === null || (here?.permissions.includes(folderNeeds.add) ?? false);
  return (
    <nav aria-label={t('library:folder.crumbs')}>
      <ol className={styles.crumbs}>
        <Crumb place={place} to={topSpot} name={t('shell:home.title')} may />
        {sid !== null && <Crumb place={place} to={{ path: rootPath, sid }} name={top?.name ?? '…'} may={may} />}
        {names.map((name, i) => {
          const path = pathTo(names.slice(0, i + 1));
          return <Crumb key={path} place={place} to={{ path, sid }} name={name} may={may} />;
        })}
      </ol>
      {top && here && <SharedBy folder={top} />}
    </nav>
  );
}

/** The owner of the open folder. */
function SharedBy({ folder }: { folder: FolderView }) {
  const { t } = useTranslation('library');
  const me = useSession().data?.principal.id;
  if (folder.owner.id === me) return null;
  return (
    <p className={styles.by}>
      <IconUsers size={16} stroke={1.5} aria-hidden="true" /> {t('folder.by', { name: folder.owner.name })}
    </p>
  );
}

function Crumb({ place, to, name, may }: { place: Place; to: Spot; name: string; may: boolean }) {
  const drop = useDrop(to, may);
  const here = sameSpot(to, spotOf(place));
  return (
    <li className={styles.crumb} {...(here ? {} : drop)}>
      {!sameSpot(to, topSpot) && <IconChevronRight size={14} stroke={1.5} aria-hidden="true" />}
      {here ? (
        <span aria-current="page">{name}</span>
      ) : (
        <Link to={linkTo(place, to)} draggable={false}>
          {name}
        </Link>
      )}
    </li>
  );
}

/** The folders in the open one, before its recordings. */
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

/** Permissions on a folder; the shared folder itself belongs to its owner. */
const useMay = (folder: FolderView) => {
  const me = useSession().data?.principal.id;
  const mine = folder.owner.id === me;
  const top = !mine && folder.path === rootPath;
  const may = (what: keyof typeof folderNeeds) => folder.permissions.includes(folderNeeds[what]);
  return { mine, top, may, mayItself: (what: keyof typeof folderNeeds) => !top && may(what) };
};

function FolderCard({ folder, place }: { folder: FolderView; place: Place }) {
  const { t } = useTranslation('library');
  const spot = useSpots()(folder);
  const { mine, top, may, mayItself } = useMay(folder);
  const drop = useDrop(spot, may('add'));
  const { name, sid, owner, meetings } = folder;
  const shared = mine ? sid !== null : top;
  const Icon = shared ? IconFolderShare : IconFolder;
  return (
    <li
      className={styles.folder}
      {...drop}
      {...(mayItself('move') ? draggable(() => ({ kind: 'folder', folder: { name, spot } })) : {})}
    >
      <Icon className={styles.icon} size={22} stroke={1.5} aria-hidden="true" />
      <div className={styles.words}>
        <Link className={cardLink.link} to={linkTo(place, spot)} draggable={false}>
          {name}
        </Link>
        <span>{t('found', { count: meetings })}</span>
        {shared && <span>{mine ? t('folder.shared') : t('folder.by', { name: owner.name })}</span>}
      </div>
      <FolderMenu folder={folder} />
    </li>
  );
}

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** The menu of a folder; none where there is nothing to do. */
function FolderMenu({ folder }: { folder: FolderView }) {
  const { t } = useTranslation('library');
  const [asked, ask] = useState<'rename' | 'move' | null>(null);
  const { moveFolder, parentOf } = useMoves();
  const spot = useSpots()(folder);
  const { mine, may, mayItself } = useMay(folder);
  const remove = useRemoveFolder(folder, spot);
  const leave = useLeaveFolder(folder, spot);
  const sharing = useShareDialog({ id: folder.id, title: folder.name, folder: spot });
  const close = () => ask(null);
  const movable = { name: folder.name, spot };
  const archive = useArchiveFolder(folder.name, spot);
  const leaves = folder.named || (mine && folder.sid !== null);
  const archives = folder.meetings > 0;
  if (!leaves && !archives && !may('rename') && !may('share')) return null;
  return (
    <>
      <Dropdown label={t('folder.actionsFor', { name: folder.name })} face={<IconDots {...icon} />}>
        {mayItself('rename') && (
          <DropdownButton icon={<IconPencil {...icon} />} onPress={() => ask('rename')}>
            {t('folder.rename')}
          </DropdownButton>
        )}
        {may('share') && (
          <DropdownButton icon={<IconUserPlus {...icon} />} onPress={sharing.open}>
            {t('share')}
          </DropdownButton>
        )}
        {leaves && (
          <DropdownButton icon={<IconUserMinus {...icon} />} onPress={() => void leave().catch(() => {})}>
            {t(mine ? 'folder.unshare' : 'folder.leave')}
          </DropdownButton>
        )}
        {mayItself('move') && (
          <DropdownButton icon={<IconFolderSymlink {...icon} />} onPress={() => ask('move')}>
            {t('move')}
          </DropdownButton>
        )}
        {archives && (
          <DropdownButton icon={<IconFileZip {...icon} />} onPress={() => archive.mutate()}>
            {t('archive.make')}
          </DropdownButton>
        )}
        {mayItself('delete') && (
          <DropdownButton icon={<IconTrash {...icon} />} onPress={() => void remove().catch(() => {})}>
            {t('delete')}
          </DropdownButton>
        )}
      </Dropdown>
      {sharing.dialog}
      <RenameFolderDialog folder={movable} opened={asked === 'rename'} onClose={close} />
      <MoveDialog
        title={t('folder.moveTitle', { name: folder.name })}
        from={{ path: parentOf(folder.path), sid: spot.sid }}
        folder={spot}
        opened={asked === 'move'}
        onClose={close}
        onMove={(to) => moveFolder(movable, to)}
      />
    </>
  );
}

/** Asks first, because there is no Undo: access would have to be given again. */
function useLeaveFolder({ name, owner }: FolderView, spot: Spot): () => Promise<void> {
  const { t } = useTranslation('library');
  const confirm = useConfirm();
  const notify = useNotify();
  const { leave } = useFolderChanges();
  const me = useSession().data?.principal.id;
  const mine = owner.id === me;
  return async () => {
    const sure = await confirm({
      title: t(mine ? 'folder.unshareTitle' : 'folder.leaveTitle', { name }),
      text: t(mine ? 'folder.unshareText' : 'folder.leaveText', { name: owner.name }),
      action: t(mine ? 'folder.unshare' : 'folder.leave'),
      danger: true,
    });
    if (!sure) return;
    await leave.mutateAsync(spot);
    notify({ type: 'info', message: t(mine ? 'folder.unshared' : 'folder.left', { name }) });
  };
}

/** Asks first for a folder with content, whose amount the name does not show. */
function useRemoveFolder({ name, sid, meetings, folders }: FolderView, spot: Spot): () => Promise<void> {
  const { t } = useTranslation('library');
  const confirm = useConfirm();
  const notify = useNotify();
  const { remove, restore } = useFolderChanges();
  return async () => {
    const sure =
      (meetings === 0 && folders === 0) ||
      (await confirm({
        title: t('folder.deleteTitle', { name }),
        text: joinSentences(
          meetings > 0 ? t('folder.deleteText', { count: meetings }) : t('folder.deleteEmptyText'),
          sid === null ? '' : t('folder.deleteShared'),
        ),
        action: t('delete'),
        danger: true,
      }));
    if (!sure) return;
    // A promise, because callbacks of an unmounted card are not called.
    const { id } = await remove.mutateAsync(spot);
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
