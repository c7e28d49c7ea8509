/** What a browser keeps. It is asked at each use: where storage is refused even looking at it throws. */
export type Store = Pick<Storage, 'getItem' | 'setItem'>;

export const browserStore: Store = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
};
