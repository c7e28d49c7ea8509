import { IconHelpCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { DropdownLink } from '../ui/dropdown.tsx';
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
