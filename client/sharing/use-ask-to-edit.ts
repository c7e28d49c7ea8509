import { useMutation } from '@tanstack/react-query';

import { useApi } from '../api.ts';
import { useSession } from '../session.ts';

/** Asks the owner of a recording for the right to edit it (`before`: not for the first time today); null for people whom a mail cannot name. */
export function useAskToEdit(id: string, onAsked: (before: boolean) => void): (() => void) | null {
  const api = useApi();
  const principal = useSession().data?.principal;
  const ask = useMutation({
    mutationFn: async () =>
      (await api.meetings[':id'].requestAccess.$post({ param: { id }, json: { role: 'canEdit' } })).json(),
    onSuccess: ({ before }) => onAsked(before),
  });
  // Nothing is sent in the name of an unconfirmed address.
  return principal?.kind === 'user' && principal.confirmed ? () => ask.mutate() : null;
}
