import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { FileView } from '#shared/attachments.ts';

import { useApi } from '../../../api.ts';
import { useNotify } from '../../../store.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';

/** Files of others appear with the next look, in an open pane after this time. */
const look = 15_000;
/** Milliseconds in which a deletion can be undone. */
const undoFor = 10_000;

export const filesKey = (meetingId: string): string[] => ['meeting', meetingId, 'files'];

/** Files beside the recording and on its comments, as far as this person may open them; `watched` renews them. */
export function useFiles({ watched = false }: { watched?: boolean } = {}) {
  const { id } = useMeeting().about;
  const api = useApi();
  return useQuery({
    queryKey: filesKey(id),
    queryFn: ({ signal }) =>
      parseResponse(api.meetings[':id'].attachments.$get({ param: { id } }, { init: { signal } })),
    select: ({ files }) => files,
    // Many comments ask for the same list.
    staleTime: look,
    refetchInterval: watched && look,
  });
}

/** Deletes a file; the notice takes it back. */
export function useRemoveFile(): (file: FileView) => void {
  const { t } = useTranslation('files');
  const { id } = useMeeting().about;
  const api = useApi();
  const client = useQueryClient();
  const notify = useNotify();
  const key = filesKey(id);
  const renew = () => client.invalidateQueries({ queryKey: key });
  const restore = (file: FileView) => {
    const param = { id, attachmentId: file.id };
    void api.meetings[':id'].attachments[':attachmentId'].restore
      .$post({ param })
      .catch(() => notify({ message: t('notRestored', { name: file.name }) }))
      .finally(() => void renew());
  };
  return (file) => {
    void client.cancelQueries({ queryKey: key });
    client.setQueryData<{ files: FileView[] }>(
      key,
      (data) => data && { files: data.files.filter((one) => one.id !== file.id) },
    );
    void api.meetings[':id']['delete-attachment'].$post({ param: { id }, json: { url: file.url } }).then(
      () =>
        notify({
          message: [
            t('deleted', { name: file.name }),
            ' ',
            { kind: 'clickable', text: t('undo'), onClick: () => restore(file) },
          ],
          type: 'info',
          duration: undoFor,
        }),
      () => {
        notify({ message: t('notDeleted', { name: file.name }) });
        void renew();
      },
    );
  };
}
