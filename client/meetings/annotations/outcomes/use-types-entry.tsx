import { IconCategory } from '@tabler/icons-react';

import { dialogPart, useDialogPart } from '../../../errors/part-dialog.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useMarking } from '../../open/meeting-context.ts';
import type { MenuEntry } from '../../base/menu-entries.ts';

const TypesDialog = dialogPart(() => import('./types-dialog.tsx'));

/** Entry of a recording's menu that chooses its outcome types, for everyone with permission to edit. */
export function useTypesEntry(): MenuEntry[] {
  const { t } = useTranslation('outcomes');
  const marking = useMarking();
  const { open, dialog } = useDialogPart((props) => <TypesDialog {...props} />);
  return marking ? [{ id: 'types', label: t('model'), icon: IconCategory, onPress: open, dialog }] : [];
}
