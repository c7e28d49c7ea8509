import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react';
import { useState, type HTMLAttributes, type MouseEvent, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router-dom';

import { useTranslation } from '../use-translation.ts';
import { Hint } from './hint.tsx';
import styles from './table.module.css';

const sortHintDelay = 300;

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Links of its own below the link of the row; of the first column only. */
  below?: (row: Row) => ReactNode;
  /** Value to sort by, or true if `onOrder` sorts; without it the column is not sortable. */
  sort?: true | ((row: Row) => string | number);
  /** Aligns numbers. */
  numeric?: boolean;
}

export interface Order {
  column: string;
  descending: boolean;
}

interface TableProps<Row> {
  /** Describes the table. */
  caption: string;
  showCaption?: boolean;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Target of a row; the first cell becomes the link, and the whole row can be pressed. */
  rowLink?: (row: Row) => string;
  /** Control before each row, such as a checkbox, in its own column. */
  lead?: { header: string; cell: (row: Row) => ReactNode };
  /** Cells keep their words on one line; the first one takes the rest of the width. */
  oneLine?: boolean;
  /** Further attributes of a row, for example for dragging. */
  rowProps?: (row: Row) => HTMLAttributes<HTMLTableRowElement>;
  /** Shown instead of rows if there are none. */
  empty: string;
  initialOrder?: Order;
  /** Current order if the rows arrive sorted; `onOrder` requests another one. */
  order?: Order;
  onOrder?: (order: Order) => void;
}

export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | null,
  language: string,
): readonly Row[] {
  const by = columns.find((column) => column.id === order?.column)?.sort;
  if (typeof by !== 'function' || !order) return rows;
  const words = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  const compare = (a: string | number, b: string | number) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : words.compare(String(a), String(b));
  return rows.toSorted((a, b) => compare(by(a), by(b)) * (order.descending ? -1 : 1));
}

export function Table<Row>({
  caption,
  showCaption = false,
  columns,
  rows,
  rowKey,
  rowLink,
  lead,
  oneLine = false,
  rowProps,
  empty,
  initialOrder,
  order: given,
  onOrder,
}: TableProps<Row>) {
  const { t, i18n } = useTranslation('shell');
  const pressed = useRowPress();
  const [own, setOwn] = useState<Order | null>(initialOrder ?? null);
  const order = given ?? own;
  const turn = (column: string) => {
    const next = { column, descending: order?.column === column ? !order.descending : false };
    if (onOrder) onOrder(next);
    else setOwn(next);
  };

  if (rows.length === 0) return <p className={styles.none}>{empty}</p>;
  return (
    <table className={styles.table} data-one-line={oneLine || undefined}>
      <caption className={showCaption ? styles.caption : styles.hidden}>{caption}</caption>
      <thead>
        <tr>
          {lead && (
            <th scope="col" data-lead>
              <span className={styles.hidden}>{lead.header}</span>
            </th>
          )}
          {columns.map((column) => {
            const active = order?.column === column.id;
            const Icon = !active ? IconArrowsSort : order.descending ? IconArrowDown : IconArrowUp;
            return (
              <th
                key={column.id}
                scope="col"
                data-numeric={column.numeric || undefined}
                aria-sort={active ? (order.descending ? 'descending' : 'ascending') : undefined}
              >
                {column.sort ? (
                  <Hint text={t('table.sort')} describes={false} delay={sortHintDelay}>
                    <button
                      type="button"
                      className={styles.sort}
                      data-active={active || undefined}
                      onClick={() => turn(column.id)}
                    >
                      {column.header}
                      <Icon size={14} stroke={1.5} aria-hidden="true" />
                    </button>
                  </Hint>
                ) : (
                  column.header
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {sortedRows(rows, columns, order, i18n.language).map((row) => (
          <tr key={rowKey(row)} {...(rowLink && { 'data-link': true, ...pressed(rowLink(row)) })} {...rowProps?.(row)}>
            {lead && <td data-lead>{lead.cell(row)}</td>}
            {columns.map((column, place) => (
              <td
                key={column.id}
                data-first={place === 0 || undefined}
                data-label={column.header}
                data-numeric={column.numeric || undefined}
              >
                {rowLink && place === 0 ? (
                  <>
                    <Link className={styles.rowLink} to={rowLink(row)}>
                      {column.cell(row)}
                    </Link>
                    {column.below?.(row)}
                  </>
                ) : (
                  column.cell(row)
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A press anywhere in a row opens it, except on its controls and at the end of a selection. */
function useRowPress() {
  const navigate = useNavigate();
  return (to: string) => {
    const press = (event: MouseEvent<HTMLElement>) => {
      const { target, currentTarget, button, ctrlKey, metaKey, shiftKey } = event;
      // Dialogs of a row are drawn elsewhere, and their events arrive here.
      if (event.defaultPrevented || !(target instanceof Element) || !currentTarget.contains(target)) return;
      if (target.closest('a, button, input, select, textarea, label, [popover]')) return;
      if (window.getSelection()?.isCollapsed === false) return;
      if (button > 1) return;
      if (button === 1 || ctrlKey || metaKey || shiftKey) window.open(to, '_blank', 'noopener');
      else if (button === 0) void navigate(to);
    };
    return { onClick: press, onAuxClick: press };
  };
}
