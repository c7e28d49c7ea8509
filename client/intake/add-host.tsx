import { useAtom } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { PartDialog } from '../errors/part-dialog.tsx';
import { part } from '../errors/part.tsx';
import styles from './add-host.module.css';
import { addingAtom } from './adding.ts';
import { backFromService } from './service-login.ts';

const Adding = part(() => import('./dialog.tsx'), { Around: PartDialog });

/** Where recordings are added: the dialog, and a place to drop a file that is as large as the page. */
export function AddHost({ folder, sharedFolder = null }: { folder: string; sharedFolder?: string | null }) {
  const { t } = useTranslation('library');
  const [adding, add] = useAtom(addingAtom);
  const [over, setOver] = useState(false);
  const drop = useEffectEvent((file: File) => add({ file }));
  const open = adding !== null;
  const goOn = useEffectEvent(() => {
    const from = backFromService();
    if (from) add({ file: null, from });
  });
  useEffect(() => goOn(), []);
  useEffect(() => {
    // The dialog has a place of its own for what is dropped.
    if (open) return;
    const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const enter = (event: DragEvent) => {
      if (!files(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const dropped = (event: DragEvent) => {
      if (!files(event)) return;
      // Whatever it is, the browser is not to open it in place of the page.
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) drop(file);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragover', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', dropped);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragover', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', dropped);
    };
  }, [open]);
  return (
    <>
      {over && (
        <div className={styles.over} aria-hidden="true">
          <p>{t('dropAnywhere')}</p>
        </div>
      )}
      {adding && (
        <Adding
          first={adding.file}
          from={adding.from ?? null}
          folder={folder}
          sharedFolder={sharedFolder}
          onClose={() => add(null)}
        />
      )}
    </>
  );
}
