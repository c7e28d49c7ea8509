import { useMutation } from '@tanstack/react-query';

import { useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { undoFor } from './folders-query.ts';
import { useRefreshMeetings } from './meetings-query.ts';

/** Callbacks for the page of the recording that is deleted. */
interface Removal {
  begun(): void;
  removed(): void;
  /** The deletion failed or was undone. */
  stands(): void;
}

/** Deletes a recording at once, with Undo in the notice. */
export function useRemove({ id, title }: { id: string; title: string }, told?: Removal): () => void {
  const { t } = useTranslation('library');
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshMeetings();
  const shown = title || t('untitled');
  const restore = useMutation({
    mutationFn: () => api.meetings[':id'].restore.$post({ param: { id } }),
    onSuccess: async () => {
      told?.stands();
      await refresh();
      notify({ type: 'info', message: t('restored', { title: shown }) });
    },
  });
  const remove = useMutation({
    mutationFn: () => api.meetings[':id'].$delete({ param: { id }, query: {} }),
    onMutate: () => told?.begun(),
    onSuccess: async () => {
      told?.removed();
      await refresh();
      notify({
        type: 'info',
        message: [
          t('deleted', { title: shown }),
          ' ',
          { kind: 'clickable', text: t('undo'), onClick: () => restore.mutate() },
        ],
        duration: undoFor,
      });
    },
    onError: () => told?.stands(),
  });
  return () => remove.mutate();
}
