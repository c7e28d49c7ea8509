import { dialogPart, useDialogPart } from '../errors/part-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import { useBackToPay } from './back-to-pay.ts';

const AgainDialog = dialogPart(() => import('./again-dialog.tsx'));

/** Button to process again a recording that failed, or was deleted during processing. */
export function ProcessAgain({ id }: { id: string }) {
  const { t } = useTranslation('library');
  const { isBack } = useBackToPay(id);
  const { open, dialog } = useDialogPart((props) => <AgainDialog id={id} {...props} />, { atOnce: isBack });
  return (
    <>
      <Button onClick={open}>{t('processAgain')}</Button>
      {dialog}
    </>
  );
}
