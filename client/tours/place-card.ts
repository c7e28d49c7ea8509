interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const gap = 12;
const margin = 8;

/**
 * Position of a card: below its target, else above or beside it, or at the lower end of a target that fills the page. The
 * card is always whole within the page.
 */
export function placeCard(
  target: Box,
  card: Pick<Box, 'width' | 'height'>,
  page: Pick<Box, 'width' | 'height'>,
): Pick<Box, 'left' | 'top'> {
  const within = (at: number, size: number, most: number) => Math.max(margin, Math.min(at, most - size - margin));
  const left = within(target.left + target.width / 2 - card.width / 2, card.width, page.width);
  const below = target.top + target.height + gap;
  if (below + card.height + margin <= page.height) return { left, top: Math.max(margin, below) };
  const above = target.top - gap - card.height;
  if (above >= margin) return { left, top: within(above, card.height, page.height) };
  const top = within(target.top, card.height, page.height);
  const after = target.left + target.width + gap;
  if (after + card.width + margin <= page.width) return { left: Math.max(margin, after), top };
  const before = target.left - gap - card.width;
  if (before >= margin) return { left: within(before, card.width, page.width), top };
  return { left, top: within(target.top + target.height - card.height - gap, card.height, page.height) };
}
