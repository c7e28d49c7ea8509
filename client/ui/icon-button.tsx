import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';

import { Hint } from './hint.tsx';
import type { Native } from './native.ts';

export interface IconButtonProps extends Native<'button'> {
  /** What it does: read out, and shown as the tooltip. */
  label: string;
  icon: ReactNode;
}

export function IconButton({ label, icon, type = 'button', ...rest }: IconButtonProps) {
  return (
    <Hint text={label} describes={false}>
      <ActionIcon {...rest} type={type} aria-label={label}>
        {icon}
      </ActionIcon>
    </Hint>
  );
}
