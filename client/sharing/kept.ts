import type { AclEntry } from '#shared/sharing.ts';

const prefix = 'chacl_';

interface Kept {
  /** Whose they are: somebody else who signs in in this tab does not see them. */
  user: string;
  entries: AclEntry[];
}

/** For as long as the tab is open, so that the list stands at once; without any address. The server's always wins. */
export function keepSharing(user: string, id: string, entries: readonly AclEntry[]): void {
  const plain = entries
    .filter(({ principal }) => principal.kind !== 'pending')
    .map((entry) => ({ ...entry, principal: { ...entry.principal, email: null } }));
  try {
    sessionStorage.setItem(prefix + id, JSON.stringify({ user, entries: plain } satisfies Kept));
  } catch {
    // A browser that keeps nothing asks each time.
  }
}

export function keptSharing(user: string, id: string): AclEntry[] | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(prefix + id) ?? 'null') as Kept | null;
    return kept?.user === user && Array.isArray(kept.entries) ? kept.entries : undefined;
  } catch {
    return undefined;
  }
}

/** When somebody signs out, or is found not to be signed in. */
export function forgetSharing(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
