import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';

/** Nothing where the dialog cannot be cancelled. */
export function CancelButton({ onCancel }: { onCancel: (() => void) | null }) {
  const { t } = useTranslation('intake');
  return onCancel ? (
    <Button look="quiet" onClick={onCancel}>
      {t('cancel.button')}
    </Button>
  ) : null;
}
