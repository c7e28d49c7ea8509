import type { ComponentProps } from 'react';

type Ours = 'style' | 'className' | 'color' | 'size' | 'onChange' | 'children';

/** An element's own props, without those a block decides about; given or left out, never `undefined`. */
export type Native<Tag extends 'button' | 'input' | 'textarea' | 'select'> = {
  [Key in Exclude<keyof ComponentProps<Tag>, Ours>]?: Exclude<ComponentProps<Tag>[Key], undefined>;
};
