import { useSyncExternalStore } from 'react';

// 600 px as in the style sheets: 37.5 em of the browser's text size.
const query = '(max-width: 37.5em)';

export function usePhone(): boolean {
  return useSyncExternalStore(watch, () => window.matchMedia(query).matches);
}

function watch(changed: () => void): () => void {
  const media = window.matchMedia(query);
  media.addEventListener('change', changed);
  return () => media.removeEventListener('change', changed);
}
