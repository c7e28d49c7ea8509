import type { MouseEvent, ReactNode } from 'react';
import { Link } from 'react-router-dom';

import styles from './button.module.css';
import type { Native } from './native.ts';

interface Common {
  /** Primary: one a screen; plain: others; quiet: cancel; danger: cannot be undone. */
  look?: 'primary' | 'plain' | 'quiet' | 'danger';
  icon?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

interface ButtonProps extends Common, Omit<Native<'button'>, 'type'> {
  type?: 'button' | 'submit';
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void;
  /** Working: keeps focus and width, and ignores presses. */
  busy?: boolean;
  /** Not yet possible: keeps the focus, and ignores presses. */
  waiting?: boolean;
}

export function Button({
  look = 'plain',
  icon,
  wide = false,
  busy = false,
  waiting = false,
  children,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy || waiting) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      {...rest}
      type={type === 'submit' ? 'submit' : 'button'}
      className={styles.button}
      data-look={look}
      data-wide={wide || undefined}
      aria-busy={busy || undefined}
      aria-disabled={busy || waiting || undefined}
      data-waiting={waiting || undefined}
      onClick={press}
    >
      {icon}
      <span>{children}</span>
    </button>
  );
}

interface ButtonLinkProps extends Common {
  to: string;
  /** Leaves this page as it is. */
  newTab?: boolean;
  /** Kept with the entry in the browser's history. */
  state?: object;
}

/** Link that looks like a button. */
export function ButtonLink({
  look = 'plain',
  icon,
  wide = false,
  children,
  to,
  newTab = false,
  state,
}: ButtonLinkProps) {
  const tab = newTab ? { target: '_blank', rel: 'noreferrer' } : {};
  return (
    <Link to={to} state={state} {...tab} className={styles.button} data-look={look} data-wide={wide || undefined}>
      {icon}
      <span>{children}</span>
    </Link>
  );
}

/** Link that looks like a button and downloads a file; `label` is its name for screen readers. */
export function FileLink({ href, label, children }: { href: string; label: string; children: ReactNode }) {
  return (
    <a href={href} download className={styles.button} data-look="plain" aria-label={label}>
      <span>{children}</span>
    </a>
  );
}
