import type { ChangesSegment } from '#shared/meetings/history.ts';

type Piece = ChangesSegment['pieces'][number];

/** Pieces that changed beside each other are one change; so is a word that gave way to another. */
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

/** As many as somebody can walk through: that a segment begins here, or is another's, is one, too. */
export const changesIn = (segments: readonly ChangesSegment[]): number =>
  segments.reduce(
    (sum, { pieces, split, speakerBefore }) =>
      sum + groupsOf(pieces).filter(({ changed }) => changed).length + (split || speakerBefore !== undefined ? 1 : 0),
    0,
  );
