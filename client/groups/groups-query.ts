import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useMemo } from 'react';

import { groupLimits, type GroupRole } from '#shared/group-rules.ts';
import type { FieldError } from '#shared/problems.ts';

import { ApiError, useApi } from '../api.ts';
import { useListNews } from '../news/use-news.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { sessionKey, useRefreshSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';

const groupsKey = ['groups'] as const;
/** Milliseconds for which a removal can be undone. */
const undoFor = 10_000;

const keyOf = (id: string) => [...groupsKey, id] as const;

export function useGroups() {
  const api = useApi();
  useFreshGroups();
  return useQuery({
    queryKey: [...groupsKey, ''],
    queryFn: async ({ signal }) => (await parseResponse(api.groups.$get({}, { init: { signal } }))).groups,
    staleTime: 0,
  });
}

export function useGroup(id: string) {
  const api = useApi();
  useFreshGroups();
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => parseResponse(api.groups[':id'].$get({ param: { id } }, { init: { signal } })),
    // The page tells of a refusal; a notice would replace that of leaving the team, which news may make it ask for again.
    meta: { quiet: true },
    staleTime: 0,
  });
}

/** Reloads the teams on screen when others change them; scopes and roles of the person may have changed with them. */
function useFreshGroups(): void {
  const queries = useQueryClient();
  useListNews('groups', () => {
    for (const queryKey of [groupsKey, sessionKey]) queries.invalidateQueries({ queryKey }).catch(() => undefined);
  });
}

/** Reloads after a change of teams or roles, which lists of recordings depend on as well. */
export function useRefreshGroups(): (gone?: string) => Promise<void> {
  const queries = useQueryClient();
  const refreshSession = useRefreshSession();
  return async (gone) => {
    // A team that was left answers 403: its page, open until the next one is loaded, must not ask for it again.
    const predicate = ({ queryKey: [, id] }: { queryKey: readonly unknown[] }) => gone === undefined || id !== gone;
    const stale = [groupsKey, ['meetings'], ['folders']].map((queryKey) =>
      queries.invalidateQueries({ queryKey, predicate }),
    );
    await Promise.all([...stale, refreshSession()]);
  };
}

/** Actions on a team, with a notice of the outcome; `onGone` runs when the person is not a member any more. */
export function useGroupChanges(onGone?: () => void): {
  archive: (group: Named) => void;
  unarchive: (group: Named) => void;
  leave: (group: Named) => void;
  remove: (group: Named) => void;
} {
  const { t } = useTranslation('groups');
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshGroups();
  const fail = useFailure();
  const { mutate } = useMutation({
    mutationFn: ({ call }: Action & { gone?: string }) => call(),
    meta: { quiet: true },
    onSuccess: (_, { said, gone }) => {
      notify({ type: 'info', message: said });
      refresh(gone).catch(() => undefined);
    },
    onError: fail,
  });
  // Callbacks of `mutate` do not run once the component is gone, so nobody who opened another page is moved.
  const end = (gone: string, action: Action) => mutate({ ...action, gone }, { onSuccess: () => onGone?.() });
  return {
    archive: ({ id, name }) =>
      mutate({ call: () => api.groups[':id'].deactivate.$post({ param: { id } }), said: t('archived', { name }) }),
    unarchive: ({ id, name }) =>
      mutate({ call: () => api.groups[':id'].activate.$post({ param: { id } }), said: t('unarchived', { name }) }),
    leave: ({ id, name }) =>
      end(id, { call: () => api.groups[':id'].leave.$post({ param: { id } }), said: t('left', { name }) }),
    remove: ({ id, name }) =>
      end(id, { call: () => api.groups[':id'].$delete({ param: { id } }), said: t('deleted', { name }) }),
  };
}

interface Action {
  call: () => Promise<unknown>;
  /** Notice of the outcome. */
  said: string;
}

interface Named {
  id: string;
  name: string;
}

/** Actions on the members of a team. */
export function useMemberChanges(id: string) {
  const { t } = useTranslation('groups');
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const refresh = useRefreshGroups();
  const fail = useFailure();
  const invite = useMutation({
    mutationFn: ({ members }: { members: { email: string; role: GroupRole }[]; said?: string }) =>
      parseResponse(api.groups[':id'].members.$post({ param: { id }, json: { members } })),
    meta: { quiet: true },
    onSuccess: async (group, { said }) => {
      queries.setQueryData(keyOf(id), group);
      if (said !== undefined) notify({ type: 'info', message: said });
      // An admin who became a member sees less from now on.
      await refresh();
    },
  });
  const put = useMutation({
    mutationFn: ({ member, ...json }: { member: string; said?: string; role?: GroupRole; quota?: string | null }) => {
      const { said: _, ...sent } = json;
      return parseResponse(api.groups[':id'].members[':member'].$put({ param: { id, member }, json: sent }));
    },
    meta: { quiet: true },
    onSuccess: async (group, { said }) => {
      queries.setQueryData(keyOf(id), group);
      if (said !== undefined) notify({ type: 'info', message: said });
      await refresh();
    },
  });
  const remove = useMutation({
    mutationFn: ({ member }: { member: string; name: string }) =>
      api.groups[':id'].members[':member'].$delete({ param: { id, member } }),
    meta: { quiet: true },
    onSuccess: (_, { member, name }) => {
      const undo = () => put.mutate({ member, said: t('undone', { name }) }, { onError: fail });
      notify({
        type: 'info',
        message: [t('removed', { name }), ' ', { kind: 'clickable', text: t('undo'), onClick: undo }],
        duration: undoFor,
      });
      return refresh();
    },
    onError: fail,
  });
  const pay = useMutation({
    mutationFn: ({ payer }: { payer: string; said: string }) =>
      parseResponse(api.groups[':id'].$put({ param: { id }, json: { payer } })),
    meta: { quiet: true },
    onSuccess: (_, { said }) => {
      notify({ type: 'info', message: said });
      return refresh();
    },
    onError: fail,
  });
  const again = ({ email, role }: { email: string; role: GroupRole }, said: string) =>
    invite.mutate({ members: [{ email, role }], said }, { onError: fail });
  const change = (member: string, role: GroupRole, said: string) =>
    put.mutate({ member, role, said }, { onError: fail });
  const busy = [invite, put, remove, pay].some(({ isPending }) => isPending);
  return { invite, again, change, remove, put, pay, busy };
}

/** Shows why an action was refused, and reloads, because the screen may be stale. */
function useFailure(): (error: unknown) => void {
  const notify = useNotify();
  const refresh = useRefreshGroups();
  const say = useFaults();
  return (error) => {
    if (error instanceof ApiError && error.status === 401) return;
    notify({ message: say(error) });
    refresh().catch(() => undefined);
  };
}

const teamFaults = [
  'percent',
  'amount',
  'number',
  'quota_used',
  'no_links',
  'payer_admin',
  'team_only',
  'set_gone',
  'date',
  'date_order',
] as const;

/** Messages for what only forms of teams refuse. */
export function useTeamFaults(): (error: FieldError) => string | undefined {
  const { t } = useTranslation('groups');
  return useMemo(
    () =>
      ({ code }) => {
        const known = teamFaults.find((one) => one === code);
        return known && t(`fault.${known}`);
      },
    [t],
  );
}

export function useFaults(): (error: unknown) => string {
  const { t } = useTranslation('groups');
  const { t: said } = useTranslation(['common', 'shell']);
  const team = useTeamFaults();
  return (error) => {
    const codes = error instanceof ApiError ? error.errors.map(({ code }) => code) : [];
    if (codes.includes('last_admin')) return t('lastAdmin');
    if (codes.includes('too_many')) return t('full', { most: groupLimits.members });
    if (codes.includes('archived')) return t('isArchived');
    const known = error instanceof ApiError ? error.errors.map(team).find((one) => one !== undefined) : undefined;
    if (known !== undefined) return known;
    return failureMessage(error, said);
  };
}
