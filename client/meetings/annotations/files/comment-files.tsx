import { useSession } from '../../../session.ts';
import { useTranslation } from '../../../use-translation.ts';
import { FileList, UploadList } from './file-list.tsx';
import { useUploads } from './uploads.ts';
import { useFiles, useRemoveFile } from './use-files.ts';

/** Files on a comment, which its author sent. */
export function CommentFiles({ comment }: { comment: string }) {
  const { t } = useTranslation('files');
  const { data = [] } = useFiles();
  const { uploads, retry, dismiss } = useUploads(comment);
  const remove = useRemoveFile();
  const me = useSession().data?.principal.id;
  return (
    <>
      <FileList
        short
        label={t('title')}
        files={data.filter((file) => file.comment === comment)}
        mayRemove={({ by }) => by?.id === String(me)}
        onRemove={remove}
      />
      <UploadList uploads={uploads} onRetry={retry} onDismiss={dismiss} />
    </>
  );
}
