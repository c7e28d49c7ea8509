import { IconListDetails } from '@tabler/icons-react';

import { readSummary } from '#shared/meetings/summary.ts';

import { part } from '../../../errors/part.tsx';
import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { AnnotationsWaiting } from '../base/annotations-waiting.tsx';
import { useDocument } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';

const SummaryPane = part(() => import('./summary-pane.tsx'), { waiting: <AnnotationsWaiting /> });

export function useSummaryPane(): Pane {
  const { t } = useTranslation('summary');
  return {
    id: 'summary',
    label: t('title'),
    icon: IconListDetails,
    button: 'more',
    Count: SummaryCount,
    Content: SummaryPane,
  };
}

function SummaryCount() {
  const { doc } = useDocument();
  return useShared(doc.getMap('summary'), () => readSummary(doc, 'shared').length) || null;
}
