import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

import { useTranslation } from '../use-translation.ts';
import styles from './chip.module.css';

interface ChipProps {
  children: string;
  tone?: 'plain' | 'accent' | 'danger';
  icon?: ReactNode;
  onRemove?: () => void;
}

/** Short label of a state or group; removable with `onRemove`. */
export function Chip({ children, tone = 'plain', icon, onRemove }: ChipProps) {
  const { t } = useTranslation('common');
  return (
    <span className={styles.chip} data-tone={tone}>
      {icon}
      {children}
      {onRemove && (
        <button type="button" className={styles.remove} aria-label={t('remove', { name: children })} onClick={onRemove}>
          <IconX size={14} stroke={1.5} aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
