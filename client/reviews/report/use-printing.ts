import { useEffect } from 'react';

const scheme = 'data-mantine-color-scheme';

/** Prints in the colours of the light scheme: programs leave backgrounds out, and light letters would be lost. */
export function usePrinting(): void {
  useEffect(() => {
    const root = document.documentElement;
    let chosen: string | null = null;
    const begin = () => {
      chosen ??= root.getAttribute(scheme);
      root.setAttribute(scheme, 'light');
    };
    const end = () => {
      if (chosen !== null) root.setAttribute(scheme, chosen);
      chosen = null;
    };
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      end();
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
}
