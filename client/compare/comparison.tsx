import { IconExternalLink, IconPlayerPlay } from '@tabler/icons-react';
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Link } from 'react-router-dom';

import {
  rowKey,
  type CompareAnswer,
  type ComparedBy,
  type ComparedCell,
  type ComparedColumn,
  type ComparedPassage,
  type ComparedRow,
} from '#shared/compare.ts';

import { Failure } from '../errors/failure.tsx';
import type { PlacePlayer } from '../finding/place-player.tsx';
import { GradeSign } from '../meetings/annotations/outcomes/outcome-card.tsx';
import { useTypeName } from '../meetings/annotations/outcomes/use-type-name.ts';
import { meetingPath, peerPath } from '../paths.ts';
import { clockTime } from '../ui/times.ts';
import { useSwipe } from '../ui/use-swipe.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './compare.module.css';
import { stepTo, type Spot } from './step.ts';
import { useWholeCell } from './use-comparison.ts';

const icon = { size: 16, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** The page of a column: its recording, or its assessment in the review. */
const pageOf = ({ document, meeting, review, machine }: ComparedColumn): string => {
  if (review === null) return meetingPath(meeting);
  return machine ? peerPath(meeting, review) : `${peerPath(meeting, review)}?layer=${document}`;
};
const placeOf = (column: ComparedColumn, start: number): string => {
  const page = pageOf(column);
  return `${page}${page.includes('?') ? '&' : '?'}t=${Math.round(start * 1000)}`;
};

/** Names of columns: the person whose assessment it is, else the recording. */
export function useColumnNames(columns: readonly ComparedColumn[]): (nth: number) => string {
  const { t } = useTranslation(['compare', 'library']);
  return (nth) => {
    const { name = null, title = '', review = null, machine = false } = columns[nth] ?? {};
    if (machine) return t('compare:machine');
    if (review === null) return title || t('library:untitled');
    return name || t('compare:reviewer', { nth: nth + 1 });
  };
}

interface Props {
  ids: string;
  data: CompareAnswer;
  /** Number of the one column that is shown; null: all. */
  only: number | null;
  /** Shows the next column or the one before, where one is shown. */
  onStep: (by: 1 | -1) => void;
  player: PlacePlayer;
}

/** The table; arrow keys move between cells, Enter plays the first passage of a cell and lists what is in it. */
export function Comparison({ ids, data: { by, columns, rows }, only, onStep, player }: Props) {
  const { t } = useTranslation(['compare', 'assessment']);
  const nameOf = useColumnNames(columns);
  const labelOf = useRowLabels();
  const swipe = useSwipe(onStep);
  const panel = useId();
  const table = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState<Spot | null>(null);
  const [open, setOpen] = useState<Spot | null>(null);
  const shown = only === null ? columns.map((_, nth) => nth) : [only];
  const has = ({ row, column }: Spot) => rows[row]?.cells[column] != null;
  const first = rows.flatMap((_, row) => shown.map((column) => ({ row, column }))).find(has);
  const focusable = at && has(at) && shown.includes(at.column) ? at : first;
  const titled = new Set(columns.map(({ meeting }) => meeting)).size > 1;
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const next = focusable && stepTo(event.key, focusable, { rows: rows.length, columns: shown, has });
    if (!next) return;
    event.preventDefault();
    setAt(next);
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.row} ${next.column}"]`)?.focus();
  };
  const press = (spot: Spot, cell: ComparedCell) => {
    const again = open?.row === spot.row && open.column === spot.column;
    setAt(spot);
    setOpen(again ? null : spot);
    const [passage] = cell.passages;
    const column = columns[spot.column];
    if (!again && passage && column?.src)
      player.play({ src: column.src, start: passage.start, title: column.title, to: placeOf(column, passage.start) });
  };
  const opened = open && shown.includes(open.column) ? (rows[open.row]?.cells[open.column] ?? null) : null;
  return (
    <>
      <p className={styles.keys}>{t('keys')}</p>
      <div
        className={styles.scroll}
        role="group"
        aria-label={t('table')}
        tabIndex={0}
        data-only={only !== null || undefined}
        {...(only !== null && swipe)}
      >
        <table ref={table} className={styles.table}>
          <caption className={styles.hidden}>{t('table')}</caption>
          <thead>
            <tr>
              <th scope="col">{t(`head.${by}`)}</th>
              {shown.map((nth) => {
                const column = columns[nth];
                return (
                  column && (
                    <th key={nth} scope="col">
                      <Link to={pageOf(column)}>{nameOf(nth)}</Link>
                      {titled && column.review !== null && <span className={styles.sub}>{column.title}</span>}
                    </th>
                  )
                );
              })}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, nth) => (
              <tr key={rowKey(row)} data-marked={row.part?.marked} data-child={row.parent !== null || undefined}>
                <th scope="row">
                  {labelOf(row, by)}
                  {row.part && <span className={styles.sub}>{t(`marked.${row.part.marked}`)}</span>}
                </th>
                {shown.map((column) => {
                  const cell = row.cells[column] ?? null;
                  const isOpen = open?.row === nth && open.column === column;
                  return (
                    <td key={column}>
                      {cell === null ? (
                        <span className={styles.none} role="img" aria-label={t('nothing')}>
                          –
                        </span>
                      ) : (
                        <button
                          type="button"
                          className={styles.cell}
                          data-cell={`${nth} ${column}`}
                          tabIndex={focusable?.row === nth && focusable.column === column ? 0 : -1}
                          aria-expanded={isOpen}
                          aria-controls={panel}
                          onKeyDown={move}
                          onFocus={() => setAt({ row: nth, column })}
                          onClick={() => press({ row: nth, column }, cell)}
                        >
                          {cell.grade !== null && <GradeSign type={row.type ?? ''} grade={cell.grade} />}
                          <span className={styles.sub}>
                            {cell.count > 0 ? t('passages', { count: cell.count }) : t('assessment:sheet.noPassage')}
                          </span>
                        </button>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div id={panel}>
        {open && opened && opened.count > 0 && (
          <Passages
            key={`${open.row} ${open.column}`}
            title={[nameOf(open.column), labelOf(rows[open.row], by)].join(' · ')}
            type={rows[open.row]?.type ?? ''}
            cell={opened}
            column={columns[open.column]}
            player={player}
            whole={{ ids, by, row: rows[open.row], at: open.column }}
          />
        )}
      </div>
    </>
  );
}

/** Names of rows: a type, a colour, or from when to when a part of the transcript is. */
function useRowLabels(): (row: ComparedRow | undefined, by: CompareAnswer['by']) => string {
  const { t } = useTranslation('compare');
  const typeName = useTypeName();
  return (row, by) => {
    if (row?.part) return `${clockTime(row.part.start * 1000)}–${clockTime(row.part.end * 1000)}`;
    const type = row?.type ?? '';
    return by === 'highlights' ? t(`color.${type as 'yellow'}`, { defaultValue: type }) : typeName(type);
  };
}

interface PassagesProps {
  title: string;
  type: string;
  cell: ComparedCell;
  column: ComparedColumn | undefined;
  player: PlacePlayer;
  /** Request for all passages of the cell's row. */
  whole: { ids: string; by: ComparedBy; row: ComparedRow | undefined; at: number };
}

function Passages({
  title,
  type,
  cell: { passages, count },
  column,
  player,
  whole: { ids, by, row, at },
}: PassagesProps) {
  const heading = useId();
  if (!column || !row) return null;
  const list = (shown: readonly ComparedPassage[]) =>
    shown.map((one) => <Passage key={one.id} type={type} passage={one} column={column} player={player} />);
  return (
    <section className={styles.passages} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <ul>{list(passages)}</ul>
      {count > passages.length && (
        <Rest
          {...{ ids, by, column, at, row: rowKey(row) }}
          render={(all) => <ul>{list(all.slice(passages.length))}</ul>}
        />
      )}
    </section>
  );
}

interface RestProps {
  ids: string;
  by: ComparedBy;
  row: string;
  column: ComparedColumn;
  /** Number of the column. */
  at: number;
  render: (all: readonly ComparedPassage[]) => ReactNode;
}

/** Passages of a cell behind the first ones, loaded when it is opened. */
function Rest({ ids, by, row, column, at, render }: RestProps) {
  const { t } = useTranslation('compare');
  const { data, error, refetch } = useWholeCell(ids, by, row, { ...column, at });
  if (data) return render(data);
  if (error)
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('failed')}
      </Failure>
    );
  return (
    <Waiting>
      <Bone height="2.5rem" />
    </Waiting>
  );
}

function Passage({
  type,
  passage: { start, quote, text, grade },
  column,
  player,
}: Pick<PassagesProps, 'player' | 'type'> & { passage: ComparedPassage; column: ComparedColumn }) {
  const { t } = useTranslation('compare');
  const to = placeOf(column, start);
  const time = clockTime(start * 1000);
  const { src, title } = column;
  return (
    <li>
      {src === null ? (
        <span className={styles.time}>{time}</span>
      ) : (
        <button
          type="button"
          className={styles.time}
          aria-label={t('play', { time })}
          onClick={() => player.play({ src, start, title, to })}
        >
          <IconPlayerPlay {...icon} /> {time}
        </button>
      )}
      <span className={styles.words}>
        {quote !== '' && <q>{quote}</q>} {grade !== null && <GradeSign type={type} grade={grade} />}
        {text !== '' && <span className={styles.sub}>{text}</span>}
      </span>
      <Link className={styles.open} to={to} aria-label={t('openAt', { time })}>
        <IconExternalLink {...icon} />
      </Link>
    </li>
  );
}
