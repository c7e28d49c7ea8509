import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';

/** A short explanation on hover, focus and tap; the child must be able to take a ref. */
export function Hint({ text, children }: { text: string; children: ReactElement }) {
  return (
    <Tooltip label={text} multiline>
      {children}
    </Tooltip>
  );
}
