import { IconPaperclip } from '@tabler/icons-react';

import { useUnsaved } from '../../../store.ts';
import { part } from '../../../errors/part.tsx';
import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { useUploads } from './uploads.ts';

const FilesPane = part(() => import('./files-pane.tsx'));

export function useFilesPane(): Pane {
  const { t } = useTranslation('files');
  const { uploads } = useUploads();
  useUnsaved('files', uploads.filter(({ failure }) => failure === null).length);
  return { id: 'files', label: t('title'), icon: IconPaperclip, button: 'more', Content: FilesPane };
}
