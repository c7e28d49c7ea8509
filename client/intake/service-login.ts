import { serviceIds, type ServiceId } from '#shared/meeting-services.ts';

import type { PersonalKey } from '../device-keys.ts';

const keyOf = (service: ServiceId): PersonalKey => `colloquy-login-${service}`;

/** Leads to the login of the service; on return, the list of its recordings opens at once. */
export function goToService(service: ServiceId, user: string): void {
  try {
    localStorage.setItem(keyOf(service), user);
  } catch {
    // Storage refused: the way back leads to the page without the list.
  }
  window.location.assign(loginAddress(service));
}

function loginAddress(service: ServiceId): string {
  const { pathname, search } = window.location;
  return `/api/login/${service}?${new URLSearchParams({ next_url: pathname + search })}`;
}

/** The service whose login the person comes back from, once; marks of other people are removed. */
export function backFromService(user: string): ServiceId | null {
  try {
    const from = serviceIds.filter((service) => localStorage.getItem(keyOf(service)) === user);
    for (const service of serviceIds) localStorage.removeItem(keyOf(service));
    return from[0] ?? null;
  } catch {
    return null;
  }
}
