/**
 * Where an offset of one text stands in another that was made of it by one change. While an input method composes, what
 * is shown and what is stored differ for a moment: before and behind the change every character still has its place.
 */
export function carry(from: string, to: string): (offset: number) => number {
  if (from === to) return (offset) => offset;
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && from.charCodeAt(head) === to.charCodeAt(head)) head += 1;
  let tail = 0;
  while (tail < most - head && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail))
    tail += 1;
  const behind = from.length - tail;
  return (offset) => {
    if (offset <= head) return offset;
    return offset >= behind ? offset + to.length - from.length : Math.min(offset, to.length - tail);
  };
}
