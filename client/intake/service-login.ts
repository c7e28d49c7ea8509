import { serviceIds, type ServiceId } from '#shared/meeting-services.ts';

const keyOf = (service: ServiceId): string => `colloquy-login-${service}`;

/** Leaves for the service, where one lets us in; when one is back, its recordings are chosen from at once. */
export function goToService(service: ServiceId, user: string): void {
  try {
    localStorage.setItem(keyOf(service), user);
  } catch {
    // A browser that keeps nothing comes back to the page all the same.
  }
  window.location.assign(loginAddress(service));
}

export function loginAddress(service: ServiceId): string {
  const { pathname, search } = window.location;
  return `/api/login/${service}?${new URLSearchParams({ next_url: pathname + search })}`;
}

/** The service somebody has just come back from, told once; who else left for one is nobody's business. */
export function backFromService(user: string): ServiceId | null {
  try {
    const from = serviceIds.filter((service) => localStorage.getItem(keyOf(service)) === user);
    for (const service of serviceIds) localStorage.removeItem(keyOf(service));
    return from[0] ?? null;
  } catch {
    return null;
  }
}
