import { ApiError } from '../api.ts';

const known = ['NETWORK', 'RATE', 'CONFLICT', 'CONSENT', 'NO_MODEL', 'FUNDS', 'PRICE', 'QUOTA'] as const;
type Refusal = (typeof known)[number] | 'other';

/** Key of the text for a request that an assistant did not get. */
export function refusalOf(error: Error): `refused.${Refusal}` {
  const code = error instanceof ApiError ? known.find((one) => one === error.code) : undefined;
  return `refused.${code ?? 'other'}`;
}
