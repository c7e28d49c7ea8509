import * as Y from 'yjs';

/** Whether a fresh document made of these bytes is the same document again, to the last byte. */
export function provenSnapshot(bytes: Uint8Array): boolean {
  const fresh = new Y.Doc();
  try {
    Y.applyUpdate(fresh, bytes);
    const again = Y.encodeStateAsUpdate(fresh);
    return !fresh.store.pendingStructs && !fresh.store.pendingDs && Buffer.from(again).equals(bytes);
  } catch {
    return false;
  } finally {
    fresh.destroy();
  }
}
