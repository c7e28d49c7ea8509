import { Button as KitButton, Loader, type ButtonProps as KitButtonProps } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { Link } from 'react-router-dom';

import styles from './button.module.css';
import type { Native } from './native.ts';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

const looks: Record<Look, Pick<KitButtonProps, 'variant' | 'color'>> = {
  primary: { variant: 'filled' },
  plain: { variant: 'default' },
  quiet: { variant: 'subtle' },
  danger: { variant: 'filled', color: 'danger' },
};

interface Common {
  look?: Look;
  icon?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

export interface ButtonProps extends Common, Native<'button'> {
  /** Work is under way: keeps the focus and the width, and does nothing when pressed again. */
  busy?: boolean;
}

export function Button({
  look = 'plain',
  icon,
  wide = false,
  busy = false,
  children,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <KitButton
      {...looks[look]}
      {...rest}
      type={type}
      fullWidth={wide}
      leftSection={icon}
      {...(busy && { 'aria-busy': true, 'aria-disabled': true })}
      onClick={press}
    >
      <span className={styles.text} data-busy={busy || undefined}>
        {children}
      </span>
      {busy && <Loader className={styles.loader} size={16} color="currentColor" aria-hidden="true" />}
    </KitButton>
  );
}

export interface ButtonLinkProps extends Common {
  to: string;
}

/** Looks like a button, goes somewhere. */
export function ButtonLink({ look = 'plain', icon, wide = false, children, to }: ButtonLinkProps) {
  return (
    <KitButton {...looks[look]} component={Link} to={to} fullWidth={wide} leftSection={icon}>
      {children}
    </KitButton>
  );
}
