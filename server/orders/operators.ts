import { Problem } from '#shared/problems.ts';
import type { Config } from '../config.ts';
import { signedIn, type Ctx, type Person, type Signed } from '../context.ts';

/** Whether somebody has shown to own one of the addresses that are named for it. */
export const isOperator = (
  { human }: Pick<Config, 'human'>,
  person: Pick<Person, 'emailKey' | 'confirmed'> | null,
): boolean =>
  person !== null && person.confirmed && (human?.operators.some(({ key }) => key === person.emailKey) ?? false);

/** All others are told as much as where there is no queue. */
export function operator(ctx: Ctx): Signed {
  const signed = signedIn(ctx);
  if (!isOperator(ctx.config, signed.person)) throw new Problem('NO_ACCESS');
  return signed;
}
