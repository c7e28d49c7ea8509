import { useEffect, useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router-dom';

import { ApiError } from '../api.ts';
import { useSending } from '../ui/sending.ts';

/** The token in the history entry's state, which neither the address bar nor a Referer shows. */
interface Kept {
  mailed?: string;
}

const readKept = (): string | undefined => (window.history.state as { usr?: Kept } | null)?.usr?.mailed;

/**
 * The token of a mailed link, from the path or the query. Removed from the address at once, so that it is not seen,
 * bookmarked or sent along; a reload still finds it.
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

/** A link that was used, has expired, or never existed: shown alike. */
export const isDead = (error: unknown): boolean => error instanceof ApiError && error.code === 'GONE';

/**
 * A screen behind a mailed link. `use` sends the token when a button is pressed, never on opening; `afterwards` runs once
 * the server has accepted it. A dead link is shown as such.
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
