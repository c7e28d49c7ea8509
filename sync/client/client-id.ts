/**
 * Locks a client id for this tab. The server gives a person only so many ids a day, so those of closed tabs are used again;
 * the browser releases a lock however a tab ends. This is safe only because no update is sent before it is in the copy: a
 * tab that takes over an id finds every clock ever used with it.
 */
export async function holdClientId(
  owner: string,
  known: readonly number[],
): Promise<{ id: number; isNew: boolean; release(): void } | null> {
  // Without locks (an insecure origin) no tab can tell whether another one has the id.
  if (!('locks' in navigator)) return null;
  for (const id of known) {
    const release = await hold(`${owner}/${id}`);
    if (release) return { id, isNew: false, release };
  }
  const [id = 0] = crypto.getRandomValues(new Uint32Array(1));
  const release = await hold(`${owner}/${id}`);
  return release && { id, isNew: true, release };
}

/** Null where another tab has it. */
function hold(name: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (!lock) return resolve(null);
        return new Promise<void>((release) => resolve(() => release()));
      })
      .catch(reject);
  });
}
