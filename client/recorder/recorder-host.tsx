import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { lazy, Suspense, useEffect, useMemo } from 'react';

import { useApi } from '../api.ts';
import { loadWhenPossible } from '../load.ts';
import { sessionQuery } from '../session.ts';
import { mayHaveUnsent } from '../unsent-sound.ts';
import { recorderAtom } from './current.ts';
import type { LiveRecorder } from './recorder.ts';

const RecorderBar = lazy(() => loadWhenPossible(() => import('./recorder-bar.tsx')));
const LeftoversStrip = lazy(() => loadWhenPossible(() => import('./leftovers-strip.tsx')));

/** The recorder that ran last; kept here, because a change of person draws the whole page anew. */
let last: LiveRecorder | null = null;

/** Recorder on any page: the bar, and what earlier visits left. */
export function RecorderHost() {
  const recorder = useAtomValue(recorderAtom);
  const { data } = useQuery({ ...sessionQuery(useApi()), enabled: false });
  const user = data?.principal.kind === 'user' ? String(data.principal.id) : null;
  // Looked at once a visit and after each recording: the strip stays when all is sent, and says so.
  const left = useMemo(() => recorder === null && user !== null && mayHaveUnsent(user), [recorder, user]);
  useEffect(() => {
    // Nobody records for a person who has signed out here, or for the next one.
    if (last !== recorder) last?.leave();
    last = recorder;
  }, [recorder]);
  return (
    <>
      {recorder && (
        <Suspense>
          <RecorderBar key={recorder.meeting} recorder={recorder} />
        </Suspense>
      )}
      {left && user !== null && (
        <Suspense>
          <LeftoversStrip key={user} user={user} />
        </Suspense>
      )}
    </>
  );
}
