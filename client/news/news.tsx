import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';

import { useApi } from '../api.ts';
import { loadWhenPossible } from '../load.ts';
import { sessionQuery } from '../session.ts';

const CommentNotices = lazy(() => loadWhenPossible(() => import('./comment-notices.tsx')));

/** Milliseconds before notices are loaded: the page comes first. */
const patience = 1500;

/** Only for people who are signed in; does not ask for the session itself. */
export function News() {
  const { data } = useQuery({ ...sessionQuery(useApi()), enabled: false });
  const principal = data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const [stands, setStands] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setStands(true), patience);
    return () => clearTimeout(timer);
  }, []);
  if (!stands || userId === null) return null;
  return (
    <Suspense>
      <CommentNotices key={userId} />
    </Suspense>
  );
}
