import type { AclEntry } from '#shared/sharing.ts';

const prefix = 'chacl_';

interface Kept {
  /** The owner's id: the next person to sign in in this tab must not see the lists. */
  user: string;
  entries: AclEntry[];
}

/** Lists of this tab, so that the dialog shows one at once; without e-mail addresses. The server's answer replaces them. */
export function keepSharing(user: string, id: string, entries: readonly AclEntry[]): void {
  const plain = entries
    .filter(({ principal }) => principal.kind !== 'pending')
    .map((entry) => ({ ...entry, principal: { ...entry.principal, email: null } }));
  try {
    sessionStorage.setItem(prefix + id, JSON.stringify({ user, entries: plain } satisfies Kept));
  } catch {
    // Storage refused: the list is loaded each time.
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

/** Called on sign-out, and when a session turns out to have ended. */
export function forgetSharing(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // Storage refused: nothing to remove.
  }
}
