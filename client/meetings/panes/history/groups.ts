import type { ChangesSegment } from '#shared/meetings/history.ts';

type Piece = ChangesSegment['pieces'][number];

/** Adjacent changed pieces count as one change, such as a deleted word and its replacement. */
export interface PieceGroup {
  changed: boolean;
  pieces: Piece[];
}

export function groupsOf(pieces: readonly Piece[]): PieceGroup[] {
  const groups: PieceGroup[] = [];
  for (const piece of pieces) {
    const changed = piece.kind !== 'same';
    const last = groups.at(-1);
    if (last?.changed === changed) last.pieces.push(piece);
    else groups.push({ changed, pieces: [piece] });
  }
  return groups;
}

/** Number of changes to step through; a new segment or another speaker counts as one. */
export const changesIn = (segments: readonly ChangesSegment[]): number =>
  segments.reduce(
    (sum, { pieces, split, speakerBefore }) =>
      sum + groupsOf(pieces).filter(({ changed }) => changed).length + (split || speakerBefore !== undefined ? 1 : 0),
    0,
  );
