import { useAtomValue, useSetAtom } from 'jotai';

import { Failure } from '../../../errors/failure.tsx';
import { Bone, Waiting } from '../../../ui/waiting.tsx';
import { annotationsErrorAtom, annotationsTryAtom } from './open-annotations.ts';

/** Placeholder until the annotations are loaded, or the reason why they could not be. */
export function AnnotationsWaiting() {
  const error = useAtomValue(annotationsErrorAtom);
  const again = useSetAtom(annotationsTryAtom);
  if (error) return <Failure error={error} onRetry={() => again((tries) => tries + 1)} />;
  return (
    <Waiting>
      <Bone width="70%" height="1.25rem" />
      <Bone width="90%" height="3rem" />
    </Waiting>
  );
}
