import { IconBookmark, IconListTree, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useContext, useEffect, useId, useState } from 'react';

import { newId } from '#shared/ids.ts';
import {
  addTimed,
  contentsLead,
  longestEntryTitle,
  nameTimed,
  readTimed,
  removeTimed,
  type TimedEntry,
  type TimedList,
} from '#shared/meetings/entries.ts';

import { useNotify } from '../../../store.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { TextField } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { isOpen } from '../../live/room.ts';
import { useDocument, useMarking, useMeeting } from '../../open/meeting-context.ts';
import { clockTime } from '../../../ui/times.ts';
import { usePhone } from '../../../ui/use-phone.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useStep } from '../../open/open-text.ts';
import { InPanes } from '../../base/in-panes.ts';
import { useShared } from '../../base/use-shared.ts';
import styles from './timed-pane.module.css';
import { useHere } from './use-here.ts';

const icons = { toc: IconListTree, bookmarks: IconBookmark };

/** List of named times in the recording, in order; editors can add, rename and remove entries. */
export function TimedPane({ list }: { list: TimedList }) {
  const { t } = useTranslation('contents');
  const { doc } = useDocument();
  const editable = useMarking();
  const phone = usePhone();
  const entries = useShared(doc.getMap(list), () => readTimed(doc, list));
  const current = useCurrent(entries);
  const { contents: drafts } = useContext(InPanes);
  const [naming, setNaming] = useState<TimedEntry | null>(null);
  // An entry deleted by another person stays listed while this person is editing its name.
  const gone = naming !== null && entries.every(({ id }) => id !== naming.id);
  const shown = gone ? [...entries, naming].sort((one, other) => one.start - other.start) : entries;
  const Icon = icons[list];
  return (
    <div className={styles.pane}>
      {shown.length === 0 ? (
        <Empty title={t(`lists.${list}.empty`)} icon={<Icon size={28} stroke={1.5} />}>
          {t(
            !editable
              ? 'emptyReading'
              : phone && list === 'bookmarks'
                ? 'lists.bookmarks.emptyTouch'
                : `lists.${list}.emptyText`,
          )}
        </Empty>
      ) : (
        <ol className={styles.list} aria-label={t(`lists.${list}.title`)}>
          {shown.map((entry) => (
            <li key={entry.id} className={styles.row} aria-current={entry.id === current || undefined}>
              {naming?.id === entry.id ? (
                <Naming entry={entry} gone={gone} list={list} onDone={() => setNaming(null)} />
              ) : (
                <Row entry={entry} list={list} editable={editable} onName={() => setNaming(entry)} />
              )}
            </li>
          ))}
        </ol>
      )}
      {editable && <Add list={list} />}
      {list === 'toc' && drafts}
    </div>
  );
}

/** Entry being played: the last one that has begun. */
function useCurrent(entries: readonly TimedEntry[]): string | null {
  const { player } = useMeeting();
  const [current, setCurrent] = useState<string | null>(null);
  useEffect(() => {
    const look = (ms: number) => setCurrent(entries.findLast(({ start }) => start * 1000 <= ms)?.id ?? null);
    look(player.ms);
    return player.onTime(look);
  }, [player, entries]);
  return current;
}

interface RowProps {
  entry: TimedEntry;
  list: TimedList;
  editable: boolean;
  onName: () => void;
}

function Row({ entry, list, editable, onName }: RowProps) {
  const { t } = useTranslation(['contents', 'annotations']);
  const { doc } = useDocument();
  const { player } = useMeeting();
  const step = useStep();
  const notify = useNotify();
  const { id, start, title } = entry;
  const name = title || t('unnamed');
  const remove = () => {
    step((by) => removeTimed(doc, list, id, by));
    const back = () => {
      if (isOpen(doc)) step((by) => addTimed(doc, list, asBegun(list, entry), by));
      else notify({ message: t('annotations:tooLateHere') });
    };
    notify({
      message: [t('removed', { name }), ' ', { kind: 'clickable', text: t('undo'), onClick: back }],
      type: 'info',
    });
  };
  return (
    <>
      <button type="button" className={styles.go} onClick={() => player.play(start * 1000)}>
        <span className={styles.time}>{clockTime(start * 1000)}</span>
        <span className={styles.name}>{name}</span>
      </button>
      {editable && (
        <span className={styles.tools}>
          <IconButton
            label={t('rename', { name })}
            icon={<IconPencil size={18} stroke={1.5} aria-hidden="true" />}
            onClick={onName}
          />
          <IconButton
            label={t('remove', { name })}
            icon={<IconTrash size={18} stroke={1.5} aria-hidden="true" />}
            onClick={remove}
          />
        </span>
      )}
    </>
  );
}

/** Adds the lead of a chapter again, since adding the entry subtracts it once more. */
const asBegun = (list: TimedList, entry: TimedEntry): TimedEntry =>
  list === 'toc' ? { ...entry, start: entry.start + contentsLead / 1000 } : entry;

interface NamingProps {
  entry: TimedEntry;
  /** Whether another person has deleted the entry meanwhile. */
  gone: boolean;
  list: TimedList;
  onDone: () => void;
}

function Naming({ entry, gone, list, onDone }: NamingProps) {
  const { t } = useTranslation('contents');
  const { t: tCommon } = useTranslation('common');
  const { doc } = useDocument();
  const step = useStep();
  const [title, setTitle] = useState(entry.title);
  const field = useId();
  // Opened on request, so the field takes the focus.
  useEffect(() => document.getElementById(field)?.focus(), [field]);
  return (
    <form
      className={styles.naming}
      onSubmit={(event) => {
        event.preventDefault();
        if (gone) step((by) => addTimed(doc, list, asBegun(list, { ...entry, title }), by));
        else if (title.trim() !== entry.title) step((by) => nameTimed(doc, list, entry.id, title, by));
        onDone();
      }}
    >
      <TextField
        id={field}
        label={t('name')}
        value={title}
        maxLength={longestEntryTitle}
        autoComplete="off"
        onChange={setTitle}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
          event.stopPropagation();
          onDone();
        }}
      />
      <p className={styles.gone} role="alert">
        {gone && t('gone')}
      </p>
      <div className={styles.actions}>
        <Button look="quiet" onClick={onDone}>
          {tCommon('cancel')}
        </Button>
        <Button type="submit" look="primary" disabled={title.trim() === ''}>
          {t(gone ? 'addAgain' : 'save')}
        </Button>
      </div>
    </form>
  );
}

function Add({ list }: { list: TimedList }) {
  const { t } = useTranslation('contents');
  const { doc } = useDocument();
  const here = useHere();
  const step = useStep();
  const [title, setTitle] = useState('');
  const hint = useId();
  return (
    <form
      className={styles.add}
      aria-describedby={hint}
      onSubmit={(event) => {
        event.preventDefault();
        const { ms, words } = here();
        step((by) => addTimed(doc, list, { id: newId(), start: ms / 1000, title: title.trim() || words }, by));
        setTitle('');
      }}
    >
      <TextField
        label={t(`lists.${list}.new`)}
        value={title}
        maxLength={longestEntryTitle}
        autoComplete="off"
        onChange={setTitle}
      />
      <Button type="submit" icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}>
        {t('add')}
      </Button>
      <p id={hint} className={styles.hint}>
        {t(`lists.${list}.hint`)}
      </p>
    </form>
  );
}
