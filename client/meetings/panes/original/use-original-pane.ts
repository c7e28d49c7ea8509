import { IconFileText } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { Pane } from '../../base/pane.ts';
import { OriginalPane } from './original-pane.tsx';

export function useOriginalPane(): Pane {
  const { t } = useTranslation('original');
  return { id: 'original', label: t('title'), short: t('short'), icon: IconFileText, Content: OriginalPane };
}
