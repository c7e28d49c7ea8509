import type { ComponentProps } from 'react';

type Ours = 'style' | 'className' | 'color' | 'size' | 'onChange' | 'children';

/** Props of an element without those that a component sets itself; present or absent, never `undefined`. */
export type Native<Tag extends 'button' | 'input' | 'textarea' | 'select'> = {
  [Key in Exclude<keyof ComponentProps<Tag>, Ours>]?: Exclude<ComponentProps<Tag>[Key], undefined>;
};
