import { useAtom } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';

import { dialogPart } from '../errors/part-dialog.tsx';
import { useSession } from '../session.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './add-host.module.css';
import { addingAtom } from './adding.ts';
import { backFromService } from './service-login.ts';
import type { Invite } from './steps.ts';
import { useGone } from './use-gone.ts';

const Adding = dialogPart(() => import('./dialog.tsx'));

interface AddHostProps {
  folder: string;
  /** The id and name of somebody else's folder that `folder` is below. */
  sharedFolder?: string | null;
  sharedName?: string;
  /** Invitation that asks for the recording. */
  invite?: Invite | null;
  /** Mentor named by the link that led here. */
  mentor?: string;
  /** Called when the dialog is closed. */
  onClosed?: () => void;
}

/** The dialog that adds recordings, and a drop target as large as the page. */
export function AddHost({
  folder,
  sharedFolder = null,
  sharedName = '',
  invite = null,
  mentor = '',
  onClosed,
}: AddHostProps) {
  const { t } = useTranslation('library');
  const [adding, add] = useAtom(addingAtom);
  const [over, setOver] = useState(false);
  const drop = useEffectEvent((file: File) => add({ file }));
  const open = adding !== null;
  const user = useSession().data?.principal.id;
  const goOn = useEffectEvent((who: string) => {
    const from = backFromService(who);
    if (from) add({ file: null, from });
  });
  useEffect(() => {
    if (user !== undefined) goOn(String(user));
  }, [user]);
  // Else the dialog would open again on the next page that has it.
  useGone(() => add(null));
  useEffect(() => {
    const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const enter = (event: DragEvent) => {
      if (!files(event)) return;
      // While the dialog is open, only its own drop target takes files.
      if (open && !event.defaultPrevented && event.dataTransfer) event.dataTransfer.dropEffect = 'none';
      event.preventDefault();
      setOver(!open);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const dropped = (event: DragEvent) => {
      if (!files(event)) return;
      // Else the browser opens the file in place of the page.
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file && !open) drop(file);
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
          sharedName={sharedName}
          invite={invite}
          mentor={mentor}
          onClose={() => {
            add(null);
            onClosed?.();
          }}
        />
      )}
    </>
  );
}
