/** Browser storage. Looked up at each use, because mere access throws where storage is refused. */
export type Store = Pick<Storage, 'getItem' | 'setItem'>;

export const browserStore: Store = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
};
