import { useMutation } from '@tanstack/react-query';

import { useApi } from '../api.ts';
import { useSession } from '../session.ts';

/** Asks the owner of a recording for the right to edit it; null for people whom a mail cannot name. */
export function useAskToEdit(id: string, onAsked: () => void): (() => void) | null {
  const api = useApi();
  const principal = useSession().data?.principal;
  const ask = useMutation({
    mutationFn: () => api.meetings[':id'].requestAccess.$post({ param: { id }, json: { role: 'canEdit' } }),
    onSuccess: onAsked,
  });
  // Nothing is sent in the name of an unconfirmed address.
  return principal?.kind === 'user' && principal.confirmed ? () => ask.mutate() : null;
}
