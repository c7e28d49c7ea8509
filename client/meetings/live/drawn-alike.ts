import type { LiveDocument } from './room.ts';

/** Of the state only what a screen draws; the chip has its own way to the rest (page-rooms.ts). */
const drawnOf = ({ state, ...rest }: LiveDocument) => ({
  ...rest,
  connected: state.connected,
  keptHere: state.keptHere,
  // Then the screen says whether anything waits.
  nothingWaits: rest.ended === 'schema' && state.pending === 0,
});

export function drawnAlike(one: LiveDocument, other: LiveDocument): boolean {
  const [before, now] = [Object.entries(drawnOf(one)), new Map<string, unknown>(Object.entries(drawnOf(other)))];
  return before.every(([part, value]) => now.get(part) === value);
}
