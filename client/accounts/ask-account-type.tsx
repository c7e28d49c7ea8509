import { lazy, Suspense, useState } from 'react';

import { useSession } from '../session.ts';

const AccountTypeDialog = lazy(async () => ({ default: (await import('./account-type.tsx')).AccountTypeDialog }));

/**
 * Asks whoever has not said yet what they use the product for. It stands in the library, where one is after signing in:
 * never over a recording somebody was sent to, nor over the account.
 */
export function AskAccountType() {
  const principal = useSession().data?.principal;
  const asks = principal?.kind === 'user' && principal.confirmed && principal.accountType === null;
  // Kept after the answer: the guide may follow, and the dialog fades out.
  const [needed, setNeeded] = useState(asks);
  if (asks && !needed) setNeeded(true);
  return needed ? (
    <Suspense>
      <AccountTypeDialog opened={asks} onClose={() => undefined} />
    </Suspense>
  ) : null;
}
