import { IconHelpCircle } from '@tabler/icons-react';

import { DropdownLink } from '../ui/dropdown.tsx';
import { useTranslation } from '../use-translation.ts';
import { useHelpPath } from './help-page.ts';

/** Entry of a menu that leads to the help about what is open. */
export function HelpEntry() {
  const { t } = useTranslation('shell');
  return (
    <li>
      <DropdownLink to={useHelpPath()} icon={<IconHelpCircle size={18} stroke={1.5} aria-hidden="true" />}>
        {t('help')}
      </DropdownLink>
    </li>
  );
}
