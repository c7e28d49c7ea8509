import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useNavigate } from 'react-router-dom';

import { ApiError, useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useNotify } from '../store.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useTranslation } from '../use-translation.ts';
import { undoFor } from './folders-query.ts';
import type { Spot } from './place.ts';

const refusals = { CONFLICT: 'archive.busy', UNSAVED: 'archive.noSpace', INVALID: 'archive.empty' } as const;
const isRefusal = (code: string): code is keyof typeof refusals => Object.hasOwn(refusals, code);

/** Makes an archive of a folder with all below it; the profile has it when it is ready. */
export function useArchiveFolder(name: string, { path, sid }: Spot) {
  const { t } = useTranslation('library');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const navigate = useNavigate();
  const show = { kind: 'clickable' as const, text: t('archive.show'), onClick: () => void navigate(paths.profile) };
  return useMutation({
    mutationFn: () => parseResponse(api.archives.$post({ json: { folder: path, sid } })),
    meta: { quiet: true },
    onSuccess: () => notify({ type: 'info', message: [t('archive.making', { name }), ' ', show], duration: undoFor }),
    onError: (error) => {
      const code = error instanceof ApiError ? error.code : '';
      if (!isRefusal(code)) return notify({ message: failureMessage(error, told) });
      return notify({ message: code === 'CONFLICT' ? [t(refusals[code]), ' ', show] : t(refusals[code]) });
    },
  });
}
