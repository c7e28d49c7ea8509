/**
 * From now on the page itself opens without a network, too. Asked for by the first page that keeps something; signing
 * out takes it away with everything else of this browser's.
 */
export function keepScreens(): void {
  // The development server builds nothing to keep, and an insecure origin may not.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register('/sw.js').catch(() => {
    // A browser that refuses: everything but opening without a network goes on.
  });
}
