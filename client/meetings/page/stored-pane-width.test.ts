import { expect, test } from 'vitest';
import { fittingWidth, paneWidths, storedPaneWidth, storePaneWidth } from './stored-pane-width.ts';

function storage(refuses = false) {
  const values = new Map<string, string>();
  const refused = () => {
    if (refuses) throw new DOMException('refused', 'SecurityError');
  };
  return {
    getItem: (key: string) => (refused(), values.get(key) ?? null),
    setItem: (key: string, value: string) => (refused(), void values.set(key, value)),
  };
}

test('the width of the pane is stored, within its bounds', () => {
  const store = storage();
  expect(storedPaneWidth(store)).toBe(paneWidths.usual);
  for (const [given, kept] of [
    [30.1, 30],
    [2, paneWidths.least],
    [4_000, paneWidths.most],
  ] as const) {
    storePaneWidth(store, given);
    expect(storedPaneWidth(store)).toBe(kept);
  }
  expect(fittingWidth(22.3)).toBe(22.25);
});

test('a stored width that is none, or a refused storage, gives the usual one', () => {
  const store = storage();
  store.setItem('colloquy-pane-width', 'wide');
  expect(storedPaneWidth(store)).toBe(paneWidths.usual);
  const refused = storage(true);
  storePaneWidth(refused, 30);
  expect(storedPaneWidth(refused)).toBe(paneWidths.usual);
});
