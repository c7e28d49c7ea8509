import { IconMicrophone } from '@tabler/icons-react';
import { useAtom, useAtomValue, useSetAtom } from 'jotai';

import { dialogPart } from '../errors/part-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import { recordDialogAtom, recorderAtom } from './current.ts';

const RecordDialog = dialogPart(() => import('./record-dialog.tsx'));

/** The dialog that begins a recording, where a page has it. */
export function RecordHost() {
  const [asked, ask] = useAtom(recordDialogAtom);
  return asked && <RecordDialog opened onClose={() => ask(false)} />;
}

/** Opens the dialog that begins a recording; absent while one runs. */
export function RecordButton() {
  const { t } = useTranslation('library');
  const open = useSetAtom(recordDialogAtom);
  if (useAtomValue(recorderAtom)) return null;
  return (
    <Button icon={<IconMicrophone size={18} stroke={1.5} aria-hidden="true" />} onClick={() => open(true)}>
      {t('record')}
    </Button>
  );
}
