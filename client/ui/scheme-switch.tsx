import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

import { useTranslation } from '../use-translation.ts';
import { IconButton } from './icon-button.tsx';

/** Follows the system until first pressed. */
export function SchemeSwitch() {
  const { t } = useTranslation('shell');
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  const Icon = dark ? IconSun : IconMoon;
  return (
    <IconButton
      label={dark ? t('toLight') : t('toDark')}
      icon={<Icon size={20} stroke={1.5} aria-hidden="true" />}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    />
  );
}
