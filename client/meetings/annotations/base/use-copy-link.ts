import type { AnnotationKind } from '#shared/meetings/annotations.ts';

import { useNotify } from '../../../store.ts';
import { useTranslation } from '../../../use-translation.ts';

const noticed = 15_000;

/** Copies the link of an annotation; shows it where the browser denies the clipboard. */
export function useCopyLink(): (kind: AnnotationKind, id: string) => void {
  const { t } = useTranslation('annotations');
  const notify = useNotify();
  return (kind, id) => {
    const url = new URL(window.location.href);
    url.search = new URLSearchParams({ [kind]: id }).toString();
    navigator.clipboard.writeText(url.href).then(
      () => notify({ type: 'info', message: t('linkCopied'), duration: noticed }),
      () => notify({ message: url.href, duration: noticed }),
    );
  };
}
