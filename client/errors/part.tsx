import { Component, lazy, Suspense, type ComponentType, type JSX, type ReactNode } from 'react';

import { ChunkError, loadChunk, loadWhenPossible } from '../load.ts';
import { useTranslation } from '../use-translation.ts';
import { Failure } from './failure.tsx';
import { useReported } from './use-reported.ts';

interface PartOptions<Props> {
  waiting?: ReactNode;
  /** Wraps the failure; default: it takes the place of the part. */
  Around?: ComponentType<Props & { children: ReactNode }>;
  /** Nobody asked for it: it comes once it can be loaded, and a failure to load is not shown. */
  inBackground?: true;
}

/**
 * A part of a page that is loaded when it is first drawn. A failure is shown in its place with "Try again"; the page
 * around it keeps its state.
 */
export function part<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  { waiting, Around, inBackground }: PartOptions<Props> = {},
): ComponentType<Props> {
  const fetched = () => lazy(() => (inBackground ? loadWhenPossible(load) : loadChunk(load)));
  let Part = fetched();
  return class extends Component<Props, { failed: { error: unknown } | null }> {
    override state: { failed: { error: unknown } | null } = { failed: null };

    static getDerivedStateFromError(error: unknown) {
      return { failed: { error } };
    }

    readonly again = () => {
      // React.lazy remembers a failure, so a retry needs a new component.
      if (this.state.failed?.error instanceof ChunkError) Part = fetched();
      this.setState({ failed: null });
    };

    override render() {
      const { failed } = this.state;
      if (!failed)
        return (
          <Suspense fallback={waiting}>
            <Part {...(this.props as Props & JSX.IntrinsicAttributes)} />
          </Suspense>
        );
      const failure = <PartFailure error={failed.error} onRetry={this.again} />;
      return Around ? <Around {...this.props}>{failure}</Around> : failure;
    }
  };
}

function PartFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation('shell');
  const requestId = useReported(error);
  // A part that did not load was not reported, so there is no request id to show.
  if (error instanceof ChunkError)
    return (
      <Failure error={error} onRetry={onRetry}>
        {t('error.partAway')}
      </Failure>
    );
  return (
    <Failure error={error} requestId={requestId} onRetry={onRetry}>
      {t('error.partBroke')}
    </Failure>
  );
}
