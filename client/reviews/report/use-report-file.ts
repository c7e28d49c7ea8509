import { useMutation } from '@tanstack/react-query';

import { fileName } from '#shared/formats/formats.ts';

import { useApi } from '../../api.ts';
import { useNotify } from '../../store.ts';
import { failureMessage } from '../../ui/failure-message.ts';
import { saveFile } from '../../ui/save-file.ts';
import { useTranslation } from '../../use-translation.ts';

/** Saves the report as a file; says so where that fails. */
export function useReportFile(meetingId: string, reviewId: string, title: string) {
  const { t } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  return useMutation({
    mutationFn: async (type: 'docx' | 'pdf') => {
      const param = { id: meetingId, reviewId };
      const answer = await api.meetings[':id'].reviews[':reviewId'].report.file.$get({ param, query: { type } });
      saveFile(await answer.blob(), fileName(title, type));
    },
    meta: { quiet: true },
    onError: (error) => notify({ message: failureMessage(error, t) }),
  });
}
