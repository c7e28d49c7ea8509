import * as Y from 'yjs';

/** Letters that all claim the same place, the beginning of the text; those of the second client come after the first's. */
export function tangledText(letters: number): Uint8Array {
  const doc = Object.assign(new Y.Doc(), { clientID: 1 });
  const text = doc.getText('text');
  const crowd = () => {
    for (let i = 0; i < letters; i += 1) text.insert(0, String.fromCharCode(97 + (i % 26)));
  };
  crowd();
  doc.clientID = 2;
  text.insert(letters, '|');
  crowd();
  for (let item = text._start; item; item = item.right) {
    item.rightOrigin = null;
    // The mark after the first client's last letter makes Yjs place all of that client's letters first.
    if (item.id.client === 2 && item.content.getContent()[0] !== '|') item.origin = null;
    else if (item.id.client === 2) item.origin = Y.createID(1, letters - 1);
  }
  return Y.encodeStateAsUpdate(copyOf(doc));
}

function copyOf(doc: Y.Doc): Y.Doc {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  return copy;
}

/**
 * Counts structures that Yjs has to compare with others to find their place, in documents of this thread. Returns the
 * count, and ends it.
 */
export function countConflicts(except: (doc: Y.Doc) => boolean = () => false): () => number {
  const { integrate } = Y.Item.prototype;
  let count = 0;
  Y.Item.prototype.integrate = function (this: Y.Item, transaction: Y.Transaction, offset: number) {
    const { left, right } = this;
    const apart = left ? left.right !== right : right ? right.left !== null : parentHasSome(this);
    if (apart && !except(transaction.doc)) count += 1;
    integrate.call(this, transaction, offset);
  };
  return () => {
    Y.Item.prototype.integrate = integrate;
    return count;
  };
}

function parentHasSome({ parent, parentSub }: Y.Item): boolean {
  if (!(parent instanceof Y.AbstractType)) return false;
  return parentSub === null ? parent._start !== null : parent._map.has(parentSub);
}
