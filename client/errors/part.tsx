import { Component, lazy, Suspense, type ComponentType, type JSX, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ChunkError, loadChunk } from '../load.ts';
import { Failure } from './failure.tsx';
import { useReported } from './use-reported.ts';

interface PartOptions<Props> {
  waiting?: ReactNode;
  /** What stands around the failure; nothing where it stands in the part's own place. */
  Around?: ComponentType<Props & { children: ReactNode }>;
}

/**
 * A part of a page that is fetched when it is wanted. Where it does not come, or breaks, that is said in its place, with
 * a button that tries again: the page around it, and what is typed there, stands.
 */
export function part<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  { waiting, Around }: PartOptions<Props> = {},
): ComponentType<Props> {
  let Part = lazy(() => loadChunk(load));
  return class extends Component<Props, { failed: { error: unknown } | null }> {
    override state: { failed: { error: unknown } | null } = { failed: null };

    static getDerivedStateFromError(error: unknown) {
      return { failed: { error } };
    }

    readonly again = () => {
      // What has failed to come is remembered as that.
      if (this.state.failed?.error instanceof ChunkError) Part = lazy(() => loadChunk(load));
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
  // Nothing was written down anywhere of what did not come.
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
