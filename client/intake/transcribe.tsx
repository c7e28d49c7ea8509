import { dialogPart, useDialogPart } from '../errors/part-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import { useBackToPay } from './back-to-pay.ts';

const TranscribeDialog = dialogPart(() => import('./transcribe-dialog.tsx'));

/** Button to transcribe a recording that was added without a transcript. */
export function Transcribe({ id, language }: { id: string; language: string }) {
  const { t } = useTranslation('document');
  const { isBack } = useBackToPay(id);
  const { open, dialog } = useDialogPart((props) => <TranscribeDialog id={id} language={language} {...props} />, {
    atOnce: isBack,
  });
  return (
    <>
      <Button look="primary" onClick={open}>
        {t('transcribe')}
      </Button>
      {dialog}
    </>
  );
}
