import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';

import { useTranslation } from '../use-translation.ts';
import styles from './pagination.module.css';
import { usePhone } from './use-phone.ts';

/** Pages shown at either end, and around the current one. */
const wide = { margin: 2, range: 5 };
/** The same on a phone, where all page numbers and both arrows fit into one line. */
const narrow = { margin: 1, range: 3 };

/** Page numbers to show, null for a gap. */
export function pagesAround(current: number, total: number, { margin, range } = wide): (number | null)[] {
  const start = Math.max(1, Math.min(current - Math.floor(range / 2), total - range + 1));
  const pages: (number | null)[] = [];
  for (let page = 1; page <= total; page += 1) {
    const shown = page <= margin || page > total - margin || (page >= start && page < start + range);
    if (shown) pages.push(page);
    else if (pages.at(-1) !== null) pages.push(null);
  }
  return pages;
}

interface PaginationProps {
  /** Counted from 1. */
  page: number;
  total: number;
  onChange: (page: number) => void;
}

export function Pagination({ page, total, onChange }: PaginationProps) {
  const { t } = useTranslation('shell');
  const isPhone = usePhone();
  if (total <= 1) return null;
  return (
    <nav className={styles.pages} aria-label={t('pagination.label')}>
      <button
        type="button"
        disabled={page <= 1}
        aria-label={t('pagination.previous')}
        onClick={() => onChange(page - 1)}
      >
        <IconChevronLeft className={styles.arrow} size={18} stroke={1.5} aria-hidden="true" />
      </button>
      {pagesAround(page, total, isPhone ? narrow : wide).map((number, place) =>
        number === null ? (
          <span key={`gap ${place}`} className={styles.gap} aria-hidden="true">
            …
          </span>
        ) : (
          <button
            key={number}
            type="button"
            aria-label={t('pagination.page', { page: number })}
            aria-current={number === page ? 'page' : undefined}
            onClick={() => onChange(number)}
          >
            {number}
          </button>
        ),
      )}
      <button
        type="button"
        disabled={page >= total}
        aria-label={t('pagination.next')}
        onClick={() => onChange(page + 1)}
      >
        <IconChevronRight className={styles.arrow} size={18} stroke={1.5} aria-hidden="true" />
      </button>
    </nav>
  );
}
