import { useSearchParams } from 'react-router-dom';

import { defaultOrder, meetingOrders, type MeetingOrder, type MeetingSort } from '#shared/library.ts';

import type { Order } from '../ui/table.tsx';

/** Where one is in the library; the address holds it, so that it survives a reload and can be passed on. */
export interface Place {
  query: string;
  order: Order & { column: MeetingOrder };
  /** Counted from 0. */
  page: number;
}

const isOrder = (value: string): value is MeetingOrder => meetingOrders.some((order) => order === value);

export function readPlace(params: URLSearchParams): Place {
  const sort = params.get('sort') ?? defaultOrder;
  const column = sort.replace(/^-/, '');
  const page = Number(params.get('page') ?? 0);
  return {
    query: params.get('query') ?? '',
    order: isOrder(column) ? { column, descending: sort.startsWith('-') } : { column: 'updatedAt', descending: true },
    page: Number.isSafeInteger(page) && page > 0 && page < 10_000 ? page : 0,
  };
}

export const sortOf = ({ column, descending }: Place['order']): MeetingSort => (descending ? `-${column}` : column);

/** What is as it is anyway is not written. */
export function writePlace(params: URLSearchParams, place: Place): URLSearchParams {
  const next = new URLSearchParams(params);
  const put = (name: string, value: string, otherwise: string) =>
    value === otherwise ? next.delete(name) : next.set(name, value);
  put('query', place.query.trim(), '');
  put('sort', sortOf(place.order), defaultOrder);
  put('page', String(place.page), '0');
  return next;
}

/** With `quietly` the way back does not lead through it. */
export function usePlace(): readonly [Place, (change: Partial<Place>, quietly?: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const go = (change: Partial<Place>, quietly = false) =>
    setParams((now) => writePlace(now, { ...readPlace(now), page: 0, ...change }), { replace: quietly });
  return [readPlace(params), go];
}
