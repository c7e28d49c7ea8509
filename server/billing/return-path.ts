import { invalid } from '#shared/problems.ts';
import { safePath } from '#shared/redirects.ts';
import { isReturnPage } from '#shared/return-pages.ts';
import type { Ctx } from '../context.ts';
import { ownOrigins } from '../http/guard.ts';

/**
 * Address to which the payment page leads back, made anew of our own origin and path: a payment must not be a way to
 * another site. An origin of this machine is kept as it was given, because its cookies belong to that name.
 */
export function returnUrl(
  ctx: Pick<Ctx, 'config' | 'origin'>,
  given: string,
  field: string,
  purchaseId: string,
): string {
  const absolute = /^https?:/i.test(given) && URL.canParse(given) ? new URL(given) : null;
  if (absolute && !ownOrigins(ctx.config, ctx.origin()).includes(absolute.origin))
    throw invalid({ field, code: 'return_path' });
  const path = safePath(absolute ? absolute.pathname + absolute.search : given);
  const url = new URL(path, absolute?.origin ?? ctx.origin());
  if (!isReturnPage(url.pathname)) throw invalid({ field, code: 'return_path' });
  url.searchParams.set('purchase', purchaseId);
  url.hash = '';
  return url.href;
}
