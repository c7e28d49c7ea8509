/**
 * A client id belongs to one tab at a time, and the server gives a person only so many a day. Those of tabs that are
 * gone are taken up again; the browser gives a lock back whatever way a tab ends. This is safe only because an update
 * is sent no sooner than it is kept: whoever takes up an id finds every clock it ever used in the copy.
 */
export async function holdClientId(
  owner: string,
  known: readonly number[],
): Promise<{ id: number; isNew: boolean; release(): void } | null> {
  // Without locks (an insecure origin) nobody can tell whether another tab has it.
  if (!('locks' in navigator)) return null;
  for (const id of known) {
    const release = await hold(`${owner}/${id}`);
    if (release) return { id, isNew: false, release };
  }
  const [id = 0] = crypto.getRandomValues(new Uint32Array(1));
  const release = await hold(`${owner}/${id}`);
  return release && { id, isNew: true, release };
}

/** Null where somebody else has it. */
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
