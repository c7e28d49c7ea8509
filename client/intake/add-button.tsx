import { IconPlus } from '@tabler/icons-react';
import { useSetAtom } from 'jotai';

import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './add-button.module.css';
import { addingAtom } from './adding.ts';

/** Opens the dialog; `floating` on phones. */
export function AddButton({ floating = false }: { floating?: boolean }) {
  const { t } = useTranslation('library');
  const add = useSetAtom(addingAtom);
  return (
    <span className={floating ? styles.floating : undefined}>
      <Button
        look="primary"
        icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}
        onClick={() => add({ file: null })}
      >
        {t('add')}
      </Button>
    </span>
  );
}
