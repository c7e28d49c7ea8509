import { IconPaperclip } from '@tabler/icons-react';
import { useRef, useState, type DragEvent } from 'react';

import { fileExtensions, type FileView } from '#shared/attachments.ts';

import { Failure } from '../../../errors/failure.tsx';
import { useSession } from '../../../session.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { usePhone } from '../../../ui/use-phone.ts';
import { Bone, Waiting } from '../../../ui/waiting.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { FileInput } from './file-input.tsx';
import { FileList, UploadList } from './file-list.tsx';
import styles from './files.module.css';
import { useUploads } from './uploads.ts';
import { useFiles, useRemoveFile } from './use-files.ts';

/** Files beside the recording, and those on comments. Editors add some by a button or by dropping them. */
export default function FilesPane() {
  const { t } = useTranslation('files');
  const phone = usePhone();
  const { about } = useMeeting();
  const { data, error, refetch } = useFiles({ watched: true });
  const { uploads, add, retry, dismiss } = useUploads(null);
  const remove = useRemoveFile();
  const me = useSession().data?.principal.id;
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const mayAdd = about.permissions.includes('write') && me !== undefined;
  if (!data && error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Waiting>
        <Bone width="80%" height="2.5rem" />
        <Bone width="60%" height="2.5rem" />
      </Waiting>
    );
  const beside = data.filter(({ comment }) => comment === null);
  const onComments = data.filter(({ comment }) => comment !== null);
  const mayRemove = ({ by, comment }: FileView) => by?.id === String(me) || (mayAdd && comment === null);
  const dragged = (event: DragEvent) => {
    if (!mayAdd || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const dropped = (event: DragEvent) => {
    if (!mayAdd) return;
    event.preventDefault();
    setOver(false);
    add(event.dataTransfer.files);
  };
  const choose = (
    <Button icon={<IconPaperclip size={16} stroke={1.5} aria-hidden="true" />} onClick={() => input.current?.click()}>
      {t('add')}
    </Button>
  );
  const empty = data.length === 0 && uploads.length === 0;
  return (
    <div
      className={styles.pane}
      data-over={over || undefined}
      onDragOver={dragged}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      {mayAdd && <FileInput ref={input} label={t('add')} onFiles={add} />}
      {empty ? (
        <Empty title={t('empty')} icon={<IconPaperclip size={28} stroke={1.5} />} {...(mayAdd && { action: choose })}>
          {t(!mayAdd ? 'emptyReading' : phone ? 'emptyTouch' : 'emptyText')}
        </Empty>
      ) : (
        <>
          {mayAdd && choose}
          <UploadList uploads={uploads} onRetry={retry} onDismiss={dismiss} />
          <FileList label={t('title')} files={beside} mayRemove={mayRemove} onRemove={remove} />
          {onComments.length > 0 && <h3 className={styles.heading}>{t('onComments')}</h3>}
          <FileList label={t('onComments')} files={onComments} mayRemove={mayRemove} onRemove={remove} />
        </>
      )}
      {mayAdd && <p className={styles.hint}>{t('accepted', { list: fileExtensions.join(', ') })}</p>}
    </div>
  );
}
