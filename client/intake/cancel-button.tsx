import { useTranslation } from 'react-i18next';

import { Button } from '../ui/button.tsx';

/** Nothing where the dialog cannot be cancelled. */
export function CancelButton({ onCancel }: { onCancel: (() => void) | null }) {
  const { t } = useTranslation('intake');
  return onCancel ? (
    <Button look="quiet" onClick={onCancel}>
      {t('cancel.button')}
    </Button>
  ) : null;
}
