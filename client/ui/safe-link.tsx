import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';

import { safePath } from '#shared/redirects.ts';

/** Allows paths of our own, https and mailto addresses; null for anything else. */
export function safeHref(href: string): string | null {
  if (href.startsWith('/')) return safePath(href);
  if (!URL.canParse(href)) return null;
  const { protocol } = new URL(href);
  return protocol === 'https:' || protocol === 'mailto:' ? href : null;
}

interface SafeLinkProps {
  href: string;
  children: ReactNode;
  className?: string;
}

export function SafeLink({ href, children, className }: SafeLinkProps) {
  const safe = safeHref(href);
  if (safe === null) return <span className={className}>{children}</span>;
  if (safe.startsWith('/')) {
    return (
      <Link to={safe} className={className}>
        {children}
      </Link>
    );
  }
  return (
    <a
      href={safe}
      className={className}
      {...(safe.startsWith('https:') && { target: '_blank', rel: 'noopener noreferrer' })}
    >
      {children}
    </a>
  );
}
