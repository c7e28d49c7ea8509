import { IconMessageChatbot } from '@tabler/icons-react';

import { part } from '../errors/part.tsx';
import type { Pane } from '../meetings/base/pane.ts';
import { useSession } from '../session.ts';
import { useTranslation } from '../use-translation.ts';

const ChatPane = part(() => import('./chat-pane.tsx'));

/** Chat about the recording, for people with an account. */
export function useChatPane(): Pane[] {
  const { t } = useTranslation('chat');
  const { data } = useSession();
  if (data?.principal.kind !== 'user') return [];
  return [{ id: 'chat', label: t('title'), icon: IconMessageChatbot, button: 'rail', Content: ChatPane }];
}
