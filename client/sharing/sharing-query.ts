import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { emailKey } from '#shared/accounts.ts';
import type { CostOption } from '#shared/intake.ts';
import type { HistoryNeeds, Role } from '#shared/roles.ts';
import { sharingLimits, type AclEntry, type EntryInput, type SharingView } from '#shared/sharing.ts';

import { ApiError, useApi } from '../api.ts';
import { useAmounts } from '../billing/amounts.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useSession } from '../session.ts';
import { useConfirm, useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { keepSharing, keptSharing } from './stored-list.ts';

/** A recording; with `place`, a folder. */
export interface Shared {
  id: string;
  folder?: { path: string; sid: string | null };
}

const keyOf = (id: string) => ['sharing', id] as const;

export const keyOfEntry = ({ principal: { kind, id, email } }: AclEntry): string =>
  `${kind} ${kind === 'pending' ? email : id}`;

/** Whether an entry is that of an address. */
export const isAddressOf = (principal: AclEntry['principal'], email: string): boolean =>
  principal.email !== null && emailKey(principal.email) === emailKey(email);

/** People with access. Until the response arrives, the list this tab saw last, read-only. */
export function useSharing({ id, folder }: Shared) {
  const api = useApi();
  const user = String(useSession().data?.principal.id ?? '');
  return useQuery<SharingView>({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) => {
      const answer = folder
        ? {
            ...(await parseResponse(api.folders.share.$get({ query: asked(folder) }, { init: { signal } }))),
            requests: [],
            history: 'write' as const,
            closed: false,
          }
        : await parseResponse(api.meetings[':id'].acl.$get({ param: { id } }, { init: { signal } }));
      keepSharing(user, id, answer.acl.entries);
      return answer;
    },
    staleTime: 0,
    placeholderData: () => {
      const entries = keptSharing(user, id);
      return (
        entries && {
          acl: { entries },
          version: 0,
          owner: { id: '', name: '' },
          requests: [],
          history: 'write',
          closed: false,
          sharingCost: null,
          inherited: [],
        }
      );
    },
  });
}

const asked = ({ path, sid }: NonNullable<Shared['folder']>) => (sid === null ? { path } : { path, sid });

interface Change {
  entries: readonly EntryInput[];
  version: number;
  /** Recordings only; undefined changes nothing. */
  history?: HistoryNeeds;
  /** Name of the person whose access ends; a failure says so. */
  removes?: string;
}

/** Sends the whole list with the version it was read at. */
export function useShare(shared: Shared) {
  const { id, folder } = shared;
  const api = useApi();
  const queries = useQueryClient();
  const tell = useFaults();
  const user = String(useSession().data?.principal.id ?? '');
  const paying = usePaying(shared);
  return useMutation({
    mutationFn: ({ entries, version, history }: Change) =>
      paying(() =>
        parseResponse(
          folder
            ? api.folders.share.$post({ json: { ...folder, entries: [...entries], version } })
            : api.meetings[':id'].acl.$post({ param: { id }, json: { entries: [...entries], version, history } }),
        ),
      ),
    meta: { quiet: true },
    onSuccess: ({ acl, version }, { history }) => {
      keepSharing(user, id, acl.entries);
      queries.setQueryData<SharingView>(
        keyOf(id),
        (known) => known && { ...known, acl, version, history: history ?? known.history },
      );
      // The folder's card shows whether it is shared.
      if (folder) for (const queryKey of [['meetings'], ['folders']]) void queries.invalidateQueries({ queryKey });
    },
    onError: (error, { removes }) => {
      if (!(error instanceof Declined)) tell(error, removes);
      void queries.invalidateQueries({ queryKey: keyOf(id) });
    },
  });
}

export function useAnswerRequest(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  const tell = useFaults();
  const paying = usePaying({ id });
  return useMutation({
    mutationFn: ({ request, role }: { request: string; role: Role | null }) =>
      paying(() => parseResponse(api['access-requests'][':id'].$post({ param: { id: request }, json: { role } }))),
    meta: { quiet: true },
    onError: (error) => {
      if (!(error instanceof Declined)) tell(error);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(id) }),
  });
}

/** The person did not want to pay; nothing was changed. */
class Declined extends Error {}

/** Does something again after paying for it, where sharing with these people costs something and the person agrees. */
function usePaying({ id, folder }: Shared): <T>(work: () => Promise<T>) => Promise<T> {
  const { t } = useTranslation('sharing');
  const { money } = useAmounts();
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      const option = costsIn(error)?.find(({ isEnough, isEnoughQuota }) => isEnough && isEnoughQuota);
      if (!option) throw error;
      const { cost, organizationName: team } = option;
      const yes = await confirm({
        title: t('paid.title'),
        text: folder
          ? t(team === null ? 'paid.folder' : 'paid.folderTeam', { cost: money(cost), team: team ?? '' })
          : t(team === null ? 'paid.text' : 'paid.textTeam', { cost: money(cost), team: team ?? '' }),
        action: t('paid.action'),
      });
      if (!yes) throw new Declined();
      await (folder
        ? parseResponse(api.folders['paid-share'].$post({ json: { ...folder, cost: option } }))
        : parseResponse(api.meetings[':id']['paid-share'].$post({ param: { id }, json: { cost: option } })));
      queries.setQueryData<SharingView>(keyOf(id), (known) => known && { ...known, sharingCost: null });
      return await work();
    }
  };
}

const costsIn = (error: unknown): CostOption[] | null =>
  error instanceof ApiError && error.code === 'FUNDS' && Array.isArray(error.info['costs'])
    ? (error.info['costs'] as CostOption[])
    : null;

/** The message for a change that failed; `removes` is the name of the person who was to lose access. */
function useFaults(): (error: unknown, removes?: string) => void {
  const { t } = useTranslation('sharing');
  const { t: said } = useTranslation(['common', 'shell']);
  const notify = useNotify();
  return (error, removes) => {
    const told = error instanceof ApiError ? error : null;
    const [, fault] = faults.find(([wrong]) => told?.errors.some(({ code }) => code === wrong)) ?? [];
    if (told?.code === 'CONFLICT') notify({ message: t('conflict') });
    else if (fault) notify({ message: t(`fault.${fault}`, { most: sharingLimits.entries }) });
    else notify({ message: why(error, removes) });
  };

  /** A reason that is unknown says nothing, so the message names what failed. */
  function why(error: unknown, removes: string | undefined): string {
    const reason = failureMessage(error, said);
    if (reason !== said('common:somethingWrong')) return reason;
    return removes === undefined ? t('failed.change') : t('failed.remove', { name: removes });
  }
}

/** Text keys by error code of a field. */
const faults = [
  ['too_many', 'tooMany'],
  ['anonymous_own', 'anonymousOwn'],
  ['last_owner', 'lastOwner'],
  ['unknown', 'unknown'],
  ['email', 'email'],
] as const;
