import { useSetAtom } from 'jotai';

import type { ImportNote } from '#shared/formats/notes.ts';

import { NoteList } from '../../../intake/notes.tsx';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Actions } from '../../../ui/form.tsx';
import { Bone, Waiting } from '../../../ui/waiting.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import styles from './replace-dialog.module.css';

/** Notes on the imported transcript, with a way to the history to restore the previous one. */
export default function ReplacedDialog({ notes, onClose }: { notes: readonly ImportNote[]; onClose: () => void }) {
  const { t } = useTranslation('whole');
  const ready = useTexts('intake');
  const { t: tCommon } = useTranslation('common');
  const openPane = useSetAtom(openPaneAtom);
  return (
    <Dialog opened onClose={onClose} title={t('title')} size="md">
      {ready ? (
        <div className={styles.replaced}>
          <p>{t('noted')}</p>
          <NoteList notes={notes} />
          <p>{t('notedBack')}</p>
          <Actions>
            <Button
              onClick={() => {
                openPane('history');
                onClose();
              }}
            >
              {t('history')}
            </Button>
            <Button look="primary" data-autofocus onClick={onClose}>
              {tCommon('close')}
            </Button>
          </Actions>
        </div>
      ) : (
        <Waiting>
          <Bone width="70%" height="2rem" />
        </Waiting>
      )}
    </Dialog>
  );
}
