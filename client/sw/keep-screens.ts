/**
 * Registers the service worker, so that the page itself opens without a network. Called by the first page that stores
 * something here; signing out removes it with the other data of this browser.
 */
export function keepScreens(): void {
  // The development server has no build to store; an insecure origin has no service workers.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register('/sw.js').catch(() => {
    // Refused: everything works except opening without a network.
  });
}
