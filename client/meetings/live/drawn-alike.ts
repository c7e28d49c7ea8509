import type { LiveDocument } from './room.ts';

/** Only the parts of the state that a screen draws; the chip reads the rest from page-rooms.ts. */
const drawnOf = ({ state, ...rest }: LiveDocument) => ({
  ...rest,
  connected: state.connected,
  keptHere: state.keptHere,
  // A page that is too old shows whether changes are unsent.
  nothingWaits: rest.ended === 'schema' && state.pending === 0,
});

export function drawnAlike(one: LiveDocument, other: LiveDocument): boolean {
  const [before, now] = [Object.entries(drawnOf(one)), new Map<string, unknown>(Object.entries(drawnOf(other)))];
  return before.every(([part, value]) => now.get(part) === value);
}
