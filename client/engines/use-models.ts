import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect } from 'react';

import type { ModelName, ModelState, ModelsView } from '#shared/engines.ts';

import { useApi } from '../api.ts';

const look = 1000;

export const isUnderWay = (state: ModelState): boolean =>
  state === 'waiting' || state === 'fetching' || state === 'unpacking';

/** Whether the page is opened on the computer that serves it: nobody else is offered downloads. */
export const isAtHome = (): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);

/** The speech models of this computer, renewed while one is on its way. */
export function useModels() {
  const api = useApi();
  const client = useQueryClient();
  const models = useQuery({
    queryKey: ['models'],
    queryFn: () => parseResponse(api.engines.models.$get({})),
    staleTime: 0,
    retry: false,
    refetchInterval: ({ state: { data } }) => (data?.models.some(({ state }) => isUnderWay(state)) ? look : false),
  });
  const keep = (data: ModelsView) => client.setQueryData(['models'], data);
  const renew = () => client.invalidateQueries({ queryKey: ['models'] });
  const get = useMutation({
    mutationFn: (name: ModelName) => parseResponse(api.engines.models[':name'].$post({ param: { name } })),
    onSuccess: keep,
    // A refusal means that the disk or the model has changed since it was shown.
    onError: renew,
  });
  const stop = useMutation({
    mutationFn: (name: ModelName) => parseResponse(api.engines.models[':name'].$delete({ param: { name } })),
    onSuccess: keep,
    onError: renew,
  });
  const whole = models.data?.models
    .filter(({ state }) => state === 'whole')
    .map(({ name }) => name)
    .join();
  useEffect(() => {
    if (whole) void client.invalidateQueries({ queryKey: ['languages'] });
  }, [client, whole]);
  return { models, get: get.mutate, stop: stop.mutate, error: get.error ?? stop.error };
}
