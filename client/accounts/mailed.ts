import { useEffect, useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router-dom';

import { ApiError } from '../api.ts';
import { useSending } from '../ui/sending.ts';

/** Kept beside the history entry, where neither the address bar nor another site's Referer shows it. */
interface Kept {
  mailed?: string;
}

const readKept = (): string | undefined => (window.history.state as { usr?: Kept } | null)?.usr?.mailed;

/**
 * The token a mailed link brought, from the path or the query. It is taken out of the address at once, so that it is
 * neither seen, nor bookmarked, nor sent along; a reload still finds it.
 */
function useMailedToken(bare: string): string | undefined {
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

/**
 * A screen a mailed link leads to: `use` hands the token in, by a press of the person's and never by opening. Where
 * the link turns out to be dead the screen says so; `afterwards` runs once it was taken.
 */
export function useMailedLink(bare: string, use: (token: string) => Promise<unknown>, afterwards: () => unknown) {
  const token = useMailedToken(bare);
  const [state, setState] = useState<'asking' | 'done' | 'dead'>(token === undefined ? 'dead' : 'asking');
  const sending = useSending(
    async () => {
      try {
        await use(token ?? '');
      } catch (error) {
        if (!isDead(error)) throw error;
        setState('dead');
        return;
      }
      await afterwards();
      setState('done');
    },
    () => undefined,
  );
  return { state, ...sending, send: () => sending.send(undefined) };
}
