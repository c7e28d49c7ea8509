import { lazy, Suspense, useState } from 'react';

import { loadWhenPossible } from '../load.ts';
import { useSession } from '../session.ts';

const AccountTypeDialog = lazy(() =>
  loadWhenPossible(async () => ({ default: (await import('./account-type.tsx')).AccountTypeDialog })),
);

/** Asks new people for their account type. Only in the library, never over a recording they were sent to. */
export function AskAccountType() {
  const principal = useSession().data?.principal;
  const asks = principal?.kind === 'user' && principal.confirmed && principal.accountType === null;
  // Kept after the answer, for the guide that may follow and while the dialog fades out.
  const [needed, setNeeded] = useState(asks);
  if (asks && !needed) setNeeded(true);
  return needed ? (
    <Suspense>
      <AccountTypeDialog opened={asks} onClose={() => undefined} />
    </Suspense>
  ) : null;
}
