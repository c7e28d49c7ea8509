import {
  IconArrowLeft,
  IconCopy,
  IconDots,
  IconFileExport,
  IconFileSymlink,
  IconHistory,
  IconKeyboard,
  IconLock,
  IconPencil,
  IconRoute,
  IconMessageCircleQuestion,
  IconSettings,
  IconTrash,
  IconUserPlus,
} from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { Fragment, useContext, useState, type ReactNode } from 'react';
import { Link } from 'react-router-dom';

import { longestTitle, readAbout, writeAbout } from '#shared/meetings/about.ts';

import { useCopyDialog } from '../../library/use-copy.tsx';
import { fromRecording, paths } from '../../paths.ts';
import { useSession } from '../../session.ts';
import { useAskToEdit } from '../../sharing/use-ask-to-edit.ts';
import { useShareDialog } from '../../sharing/use-share.tsx';
import { useNotify } from '../../store.ts';
import { AccountMenu } from '../../shell/account-menu.tsx';
import { HelpEntry } from '../../support/help-entry.tsx';
import { useAskSupport } from '../../support/use-ask-support.ts';
import { useTour } from '../../tours/use-tour.ts';
import { Dropdown, DropdownButton, DropdownLink } from '../../ui/dropdown.tsx';
import { LanguageEntry } from '../../ui/language-entry.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { SchemeSwitch } from '../../ui/scheme-switch.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useDeleting } from './deleting.tsx';
import { useClose } from '../panes/closing/use-close.tsx';
import { useExport } from '../panes/export/use-export.tsx';
import styles from './header.module.css';
import { actionsAtom } from '../base/actions.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import { HelpHere } from './help-here.ts';
import { MenuEntriesOf } from '../base/menu-entries.ts';
import { UndoButtons, UndoEntries } from './undo-buttons.tsx';
import { PageSaveChip } from '../live/page-save-chip.tsx';
import { LoadingContext } from '../open/loading.ts';
import { useDocument, useMeeting } from '../open/meeting-context.ts';
import { People } from './people.tsx';
import { useReplace } from '../panes/replace/use-replace.tsx';
import { useShared } from '../base/use-shared.ts';

const origin = Symbol('title');

export function Header() {
  const { t } = useTranslation('document');
  const openHistory = useOpenHistory();
  return (
    <HeaderBar back={paths.home} backLabel={t('back')} title={<Title />} share={<Share />} onHistory={openHistory}>
      <HelpHere />
      <More onHistory={openHistory} />
    </HeaderBar>
  );
}

/** Opens the pane of earlier versions; null for people who may not see what was deleted. */
function useOpenHistory(): (() => void) | null {
  const { about } = useMeeting();
  const openPane = useSetAtom(openPaneAtom);
  return about.permissions.includes('history') ? () => openPane('history') : null;
}

interface HeaderBarProps {
  back: string;
  backLabel: string;
  title: ReactNode;
  share?: ReactNode;
  /** Opens the version history, where there is one for this person. */
  onHistory?: (() => void) | null;
  /** Menu of rare actions. */
  children: ReactNode;
}

/** Header of a recording's page, with the way back and the title that the page gives it. */
export function HeaderBar({ back, backLabel, title, share, onHistory = null, children }: HeaderBarProps) {
  const loading = useContext(LoadingContext);
  return (
    <header className={styles.header}>
      <Link to={back} className={styles.back} aria-label={backLabel}>
        <IconArrowLeft size={20} stroke={1.5} aria-hidden="true" />
      </Link>
      {/* Would change a transcript that is replaced already. */}
      <div className={styles.held} inert={loading}>
        {title}
        <PageSaveChip onHistory={onHistory} />
        <div className={styles.tools}>
          <People />
          <span className={styles.undo}>
            <UndoButtons />
          </span>
          {share}
          <span className={styles.scheme}>
            <SchemeSwitch />
          </span>
          {children}
          <span className={styles.account}>
            <AccountMenu />
          </span>
        </div>
      </div>
    </header>
  );
}

/** Share button, for owners only. */
function Share() {
  const { t } = useTranslation('document');
  const { about } = useMeeting();
  const { doc } = useDocument();
  const { title } = useShared(doc.getMap('about'), () => readAbout(doc));
  const sharing = useShareDialog({ id: about.id, title });
  if (!about.permissions.includes('own')) return null;
  return (
    <>
      <button type="button" className={styles.share} aria-label={t('share')} data-tour="share" onClick={sharing.open}>
        <IconUserPlus size={20} stroke={1.5} aria-hidden="true" />
        <span>{t('share')}</span>
      </button>
      {sharing.dialog}
    </>
  );
}

/** Entry of the menu for people who cannot edit. */
function AskToEdit() {
  const { t } = useTranslation('document');
  const { about } = useMeeting();
  const notify = useNotify();
  const ask = useAskToEdit(about.id, (before) =>
    notify({ type: 'info', message: before ? t('askedBefore') : t('askedToEdit') }),
  );
  // While the text is closed, nobody can let anybody edit.
  if (!ask || about.closed || about.permissions.includes('write')) return null;
  return (
    <li>
      <DropdownButton icon={<IconPencil size={18} stroke={1.5} aria-hidden="true" />} onPress={ask}>
        {t('askToEdit')}
      </DropdownButton>
    </li>
  );
}

/** Entry of the menu for people who can edit. */
function Copy({ onPress }: { onPress: () => void }) {
  const { t } = useTranslation('library');
  const { about } = useMeeting();
  const signedIn = useSession().data?.principal.kind === 'user';
  const mayCopy = about.permissions.includes('write') || (about.closed !== null && about.permissions.includes('own'));
  if (!signedIn || !mayCopy) return null;
  return (
    <li>
      <DropdownButton icon={<IconCopy size={18} stroke={1.5} aria-hidden="true" />} onPress={onPress}>
        {t('copy')}
      </DropdownButton>
    </li>
  );
}

/** Menu of rare actions. */
function More({ onHistory }: { onHistory: (() => void) | null }) {
  const { t } = useTranslation(['document', 'closing', 'export', 'history', 'whole', 'library', 'shell', 'support']);
  const actions = useAtomValue(actionsAtom);
  const { about } = useMeeting();
  const { doc, editable } = useDocument();
  const { title } = useShared(doc.getMap('about'), () => readAbout(doc));
  const copying = useCopyDialog({ id: about.id, title });
  const exporting = useExport();
  const replacing = useReplace();
  const closing = useClose();
  const closedHere = Boolean(about.closed) && about.permissions.includes('own');
  const remove = useDeleting();
  const { play } = useTour('recording');
  const askSupport = useAskSupport();
  const given = useContext(MenuEntriesOf)();
  return (
    <>
      <Dropdown label={t('actions')} face={<IconDots size={20} stroke={1.5} aria-hidden="true" />}>
        <ul className={styles.list}>
          <UndoEntries />
          <li>
            <DropdownButton
              icon={<IconFileExport size={18} stroke={1.5} aria-hidden="true" />}
              onPress={exporting.open}
            >
              {t('export:open')}
            </DropdownButton>
          </li>
          {onHistory && (
            <li>
              <DropdownButton icon={<IconHistory size={18} stroke={1.5} aria-hidden="true" />} onPress={onHistory}>
                {t('history:title')}
              </DropdownButton>
            </li>
          )}
          {given.map(({ id, label, icon: Icon, onPress }) => (
            <li key={id}>
              <DropdownButton icon={<Icon size={18} stroke={1.5} aria-hidden="true" />} onPress={onPress}>
                {label}
              </DropdownButton>
            </li>
          ))}
          <Copy onPress={copying.open} />
          <AskToEdit />
          {(editable || closedHere) && (
            <li>
              <DropdownButton
                {...(closedHere && { unavailable: t('closing:why') })}
                icon={<IconFileSymlink size={18} stroke={1.5} aria-hidden="true" />}
                onPress={replacing.open}
              >
                {t('whole:replace')}
              </DropdownButton>
            </li>
          )}
          {about.permissions.includes('own') && !about.closed && (
            <li>
              <DropdownButton icon={<IconLock size={18} stroke={1.5} aria-hidden="true" />} onPress={closing.open}>
                {t('closing:open')}
              </DropdownButton>
            </li>
          )}
          <li>
            <DropdownButton
              icon={<IconKeyboard size={18} stroke={1.5} aria-hidden="true" />}
              onPress={() => actions.run('sheet')}
            >
              {t('keys')}
            </DropdownButton>
          </li>
          <li>
            <DropdownLink
              to={paths.profile}
              state={fromRecording(about.id)}
              icon={<IconSettings size={18} stroke={1.5} aria-hidden="true" />}
            >
              {t('settings')}
            </DropdownLink>
          </li>
          <LanguageEntry />
          <li>
            <DropdownButton icon={<IconRoute size={18} stroke={1.5} aria-hidden="true" />} onPress={play}>
              {t('shell:playTour')}
            </DropdownButton>
          </li>
          <HelpEntry />
          <li>
            <DropdownButton
              icon={<IconMessageCircleQuestion size={18} stroke={1.5} aria-hidden="true" />}
              onPress={askSupport}
            >
              {t('support:title')}
            </DropdownButton>
          </li>
          {about.permissions.includes('own') && (
            <li>
              <DropdownButton icon={<IconTrash size={18} stroke={1.5} aria-hidden="true" />} onPress={remove}>
                {t('library:delete')}
              </DropdownButton>
            </li>
          )}
        </ul>
      </Dropdown>
      {given.map(({ id, dialog }) => (
        <Fragment key={id}>{dialog}</Fragment>
      ))}
      {copying.dialog}
      {exporting.dialog}
      {replacing.dialog}
      {closing.dialog}
    </>
  );
}

/** Title, edited in place and live for everyone. */
function Title() {
  const { t } = useTranslation('document');
  const { doc, editable } = useDocument();
  const { title } = useShared(doc.getMap('about'), () => readAbout(doc));
  // The local draft wins while this person types; remote changes show after that.
  const [draft, setDraft] = useState<string | null>(null);
  if (!editable) return <FixedTitle>{title || t('title')}</FixedTitle>;
  return (
    <>
      <div className={styles.heading}>
        <PageTitle>{title || t('title')}</PageTitle>
      </div>
      <input
        className={styles.title}
        aria-label={t('titleLabel')}
        placeholder={t('title')}
        maxLength={longestTitle}
        value={draft ?? title}
        onChange={({ target }) => {
          setDraft(target.value);
          writeAbout(doc, { title: target.value }, origin);
        }}
        onBlur={() => setDraft(null)}
      />
    </>
  );
}

interface FixedTitleProps {
  children: string;
  /** Shorter words for the eye, where there is little room; default: the title. */
  shown?: string;
}

/** Title that cannot be edited here. */
export function FixedTitle({ children, shown = children }: FixedTitleProps) {
  return (
    <>
      <div className={styles.heading}>
        <PageTitle>{children}</PageTitle>
      </div>
      <span className={styles.title} aria-hidden="true">
        {shown}
      </span>
    </>
  );
}
