import * as Y from 'yjs';

type Shared = NonNullable<ReturnType<Y.Doc['share']['get']>>;

/**
 * The document that stored bytes make. Throws where anything in it waits for something missing. `placed` is called when
 * all structures have their place, before Yjs joins them.
 */
export function build(pieces: readonly Uint8Array[], placed?: (doc: Y.Doc) => void): Y.Doc {
  const doc = new Y.Doc();
  // Yjs would look through a whole formatted text for marks without effect after each update that touches it.
  doc.on('afterTransaction', (transaction: Y.Transaction) => (transaction._needFormattingCleanup = false));
  if (placed) doc.once('afterTransaction', () => placed(doc));
  try {
    addTo(doc, pieces);
    return doc;
  } catch (error) {
    doc.destroy();
    throw error;
  }
}

/** Adds stored bytes to a document. Throws where anything in it waits for something missing. */
export function addTo(doc: Y.Doc, pieces: readonly Uint8Array[]): void {
  doc.transact(() => {
    for (const piece of pieces) Y.applyUpdate(doc, piece);
  });
  if (doc.store.pendingStructs || doc.store.pendingDs) throw new Error('something is left waiting');
}

/** The document of these pieces without deleted content, which Yjs drops as it builds. Throws as `build` does. */
export function makeClean(pieces: readonly Uint8Array[]): Uint8Array {
  const doc = build(pieces);
  try {
    return Y.encodeStateAsUpdate(doc);
  } finally {
    doc.destroy();
  }
}

/**
 * Makes one piece of many, and proves it by loading it afresh. Applies them, as `Y.mergeUpdates` takes seconds where this
 * takes milliseconds. Throws where the pieces make no document, or the result not the same one again.
 */
export function makeSnapshot(pieces: readonly Uint8Array[]): Uint8Array {
  const doc = build(pieces);
  try {
    const bytes = Y.encodeStateAsUpdate(doc);
    if (!proves(doc, bytes)) throw new Error('the snapshot is another document');
    return bytes;
  } finally {
    doc.destroy();
  }
}

/**
 * Whether the bytes make the same document again: the same structures, the same of them deleted, the same visible content.
 * Bytes are not compared, as how Yjs cuts its structures into pieces depends on the way they came.
 */
export function proves(doc: Y.Doc, bytes: Uint8Array): boolean {
  let fresh: Y.Doc;
  try {
    fresh = build([bytes]);
  } catch {
    return false;
  }
  try {
    return Y.equalSnapshots(Y.snapshot(doc), Y.snapshot(fresh)) && visible(doc) === visible(fresh);
  } finally {
    fresh.destroy();
  }
}

/** All visible content of a document as one text, whatever its roots are and however it is cut into pieces. */
function visible(doc: Y.Doc): string {
  const out: string[] = [];
  let run = '';
  const put = (what: string) => {
    if (run) out.push(`${run.length}"${run}`);
    run = '';
    out.push(what);
  };
  const content = (one: Y.Item['content']): void => {
    if (one instanceof Y.ContentString) run += one.str;
    else if (one instanceof Y.ContentAny) for (const value of one.arr) put(json(value));
    else if (one instanceof Y.ContentFormat) put(`${one.key}=${json(one.value)}`);
    else if (one instanceof Y.ContentEmbed) put(json(one.embed));
    else if (one instanceof Y.ContentBinary) put(Buffer.from(one.content).toString('hex'));
    else if (one instanceof Y.ContentType) {
      put(one.type instanceof Y.XmlElement ? one.type.nodeName : one.type.constructor.name);
      type(one.type);
    } else for (const value of one.getContent()) put(json(value));
  };
  const type = (one: Shared): void => {
    put('[');
    for (let item = one._start; item; item = item.right) if (!item.deleted) content(item.content);
    put(']');
    for (const key of [...one._map.keys()].toSorted()) {
      const item = one._map.get(key);
      if (!item || item.deleted) continue;
      put(`${json(key)}:`);
      content(item.content);
    }
    put(';');
  };
  for (const name of [...doc.share.keys()].toSorted()) {
    const root = doc.share.get(name);
    put(json(name));
    if (root) type(root);
  }
  return out.join('\n');
}

const json = (value: unknown): string =>
  String(JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)));
