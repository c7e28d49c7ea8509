import { fullName, useSession } from '../session.ts';

/** The signed-in person, as reviews name people. */
export function useMe(): { id: string; name: string; email: string | null } {
  const principal = useSession().data?.principal;
  return {
    id: String(principal?.id ?? ''),
    name: principal ? fullName(principal) : '',
    email: principal?.email ?? null,
  };
}
