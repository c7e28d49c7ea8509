import { useEffect, useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router-dom';

import { ApiError } from '../api.ts';

/** Kept beside the history entry, where neither the address bar nor another site's Referer shows it. */
interface Kept {
  mailed?: string;
}

const readKept = (): string | undefined => (window.history.state as { usr?: Kept } | null)?.usr?.mailed;

/**
 * The token a mailed link brought, from the path or the query. It is taken out of the address at once, so that it is
 * neither seen, nor bookmarked, nor sent along; a reload still finds it.
 */
export function useMailedToken(bare: string): string | undefined {
  const { id, token } = useParams();
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const [value] = useState(
    () => [id, token, query.get('token') ?? undefined].find((one) => one && one !== '-') ?? readKept(),
  );
  const shown = (id ?? token ?? query.get('token') ?? '-') !== '-';
  useEffect(() => {
    if (shown && value !== undefined) void navigate(bare, { replace: true, state: { mailed: value } satisfies Kept });
  }, [shown, value, bare, navigate]);
  return value;
}

/** A link that was used, is too old, or never was one: all the same. */
export const isDead = (error: unknown): boolean => error instanceof ApiError && error.code === 'GONE';
