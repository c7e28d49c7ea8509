import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { readSpeakers } from '#shared/meetings/speakers.ts';

import type { Pane } from '../../base/pane.ts';
import { useDocument } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';
import { SpeakerList } from './speaker-list.tsx';

export function useSpeakersPane(): Pane {
  const { t } = useTranslation('speakers');
  return { id: 'speakers', label: t('title'), icon: IconUsers, Count, Content: SpeakerList };
}

function Count() {
  const { doc } = useDocument();
  return useShared(doc.getMap('speakers'), () => readSpeakers(doc)).length;
}
