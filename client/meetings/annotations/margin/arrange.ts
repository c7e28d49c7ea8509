/** Card of the margin, in the order of the passages. */
interface Placed {
  /** Top of its passage, in pixels. */
  at: number;
  /** Heights it can have, ascending; an open card has one. */
  heights: readonly number[];
}

interface Arranged {
  top: number;
  height: number;
}

/**
 * Puts cards level with their passages. A card is as tall as the room before the next one allows; where they would
 * overlap all the same, they are pushed apart. The chosen card stays exactly level.
 */
export function arrange(cards: readonly Placed[], chosen: number, gap: number): Arranged[] {
  const arranged: Arranged[] = [];
  /** Level or below the card before; as tall as fits above the next passage. */
  const put = (from: number) => {
    for (let i = from; i < cards.length; i += 1) {
      const { at, heights } = cards[i] ?? { at: 0, heights: [] };
      const before = arranged[i - 1];
      const top = Math.max(at, before ? before.top + before.height + gap : 0);
      const room = (cards[i + 1]?.at ?? Infinity) - top - gap;
      arranged[i] = { top, height: heights.findLast((height) => height <= room) ?? heights[0] ?? 0 };
    }
  };
  put(0);
  const fixed = arranged[chosen];
  if (!fixed) return arranged;
  fixed.top = cards[chosen]?.at ?? fixed.top;
  for (let i = chosen - 1; i >= 0; i -= 1) {
    const [card, next] = [arranged[i], arranged[i + 1]];
    if (card && next) card.top = Math.min(card.top, next.top - gap - card.height);
  }
  // Nothing is above the first line.
  for (let i = 0, least = 0; i <= chosen; i += 1) {
    const card = arranged[i];
    if (!card) break;
    card.top = Math.max(card.top, least);
    least = card.top + card.height + gap;
  }
  put(chosen + 1);
  return arranged;
}
