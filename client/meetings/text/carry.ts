/**
 * Maps offsets of one text to another that differs by one change. While an input method composes, the text shown and
 * the text stored differ briefly; characters before and after the change still map exactly.
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
