import type { HabitKey } from '../../device-keys.ts';
import type { Store } from '../sound/browser-store.ts';

const key: HabitKey = 'colloquy-pane-width';

/** Width in rem of the pane beside the transcript. */
export const paneWidths = { least: 18, usual: 22, most: 40 } as const;

/** The nearest width that a pane can have. */
export const fittingWidth = (rem: number): number =>
  Math.round(Math.min(paneWidths.most, Math.max(paneWidths.least, rem)) * 4) / 4;

/** Width on this device: screens differ more than people. */
export function storedPaneWidth(store: Store): number {
  try {
    const kept = store.getItem(key);
    return kept !== null && Number(kept) > 0 ? fittingWidth(Number(kept)) : paneWidths.usual;
  } catch {
    return paneWidths.usual;
  }
}

export function storePaneWidth(store: Store, rem: number): void {
  try {
    store.setItem(key, String(fittingWidth(rem)));
  } catch {
    // Storage refused: the width lasts as long as the page.
  }
}
