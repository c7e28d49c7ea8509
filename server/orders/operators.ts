import { Problem } from '#shared/problems.ts';
import type { Config } from '../config.ts';
import { signedIn, type Ctx, type Person, type Signed } from '../context.ts';

/** Whether the person has confirmed an address that is configured as an operator's. */
export const isOperator = (
  { human }: Pick<Config, 'human'>,
  person: Pick<Person, 'emailKey' | 'confirmed'> | null,
): boolean =>
  person !== null && person.confirmed && (human?.operators.some(({ key }) => key === person.emailKey) ?? false);

/** Refuses other people with the same answer as on a server without a queue. */
export function operator(ctx: Ctx): Signed {
  const signed = signedIn(ctx);
  if (!isOperator(ctx.config, signed.person)) throw new Problem('NO_ACCESS');
  return signed;
}
