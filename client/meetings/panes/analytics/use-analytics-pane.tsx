import { IconChartBar } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { part } from '../../../errors/part.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import type { Pane } from '../../base/pane.ts';

export const AnalyticsPane = part(() => import('./analytics.tsx'), { waiting: <Waiting>{null}</Waiting> });

/** Pane beside the transcript, so that a bar can jump to its passage while the figures stay open. */
export function useAnalyticsPane(): Pane {
  const { t } = useTranslation('document');
  return { id: 'analytics', label: t('analytics'), icon: IconChartBar, Content: AnalyticsPane };
}
