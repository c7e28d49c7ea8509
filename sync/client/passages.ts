import * as Y from 'yjs';

/** Fields that all shared types have. */
type Shared = Pick<Y.AbstractType<unknown>, '_map' | '_start'>;
/** From which clock up to which, by client. */
type Ranges = Map<number, { from: number; to: number }[]>;

/**
 * The words of a document as plain text, a passage a line: those in which one of `updates` wrote something, or all of them
 * (null). Gives people their words back where their changes cannot be taken.
 */
export function passages(doc: Y.Doc, updates: readonly Uint8Array[] | null): string {
  const ranges = updates && rangesOf(updates);
  const found: string[] = [];
  for (const [name, type] of doc.share) {
    // A root that was never accessed has no type of its own yet.
    const kind = Object.getPrototypeOf(type) === Y.AbstractType.prototype ? kindOf(doc, name, type) : type;
    found.push(...linesOf(kind, ranges));
  }
  return found
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');
}

function kindOf(doc: Y.Doc, name: string, type: Shared): Shared {
  if (type._map.size > 0) return doc.getMap(name);
  return type._start?.content instanceof Y.ContentType ? doc.getXmlFragment(name) : doc.getText(name);
}

function rangesOf(updates: readonly Uint8Array[]): Ranges {
  const ranges: Ranges = new Map();
  for (const update of updates)
    for (const { id, length } of Y.decodeUpdate(update).structs)
      ranges.set(id.client, [...(ranges.get(id.client) ?? []), { from: id.clock, to: id.clock + length }]);
  return ranges;
}

/** Whether one of `updates` wrote this. */
export const isWrittenIn = (updates: readonly Uint8Array[], item: Y.Item): boolean =>
  updates.length > 0 && isIn(item, rangesOf(updates));

function isIn({ id, length }: Y.Item, ranges: Ranges | null): boolean {
  if (!ranges) return true;
  return (ranges.get(id.client) ?? []).some(({ from, to }) => id.clock < to && from < id.clock + length);
}

function linesOf(type: Shared, ranges: Ranges | null): string[] {
  if (type instanceof Y.Map) {
    const lines: string[] = [];
    for (const item of type._map.values())
      if (item.deleted) continue;
      else if (isIn(item, ranges)) lines.push(...wordsOf(item.content.getContent()));
      // Text typed into an older value, such as a point of the summary.
      else if (item.content instanceof Y.ContentType) lines.push(...linesOf(item.content.type, ranges));
    return lines;
  }
  const lines: { text: string; own: boolean }[] = [{ text: '', own: false }];
  const walk = (from: Shared) => {
    for (let item = from._start; item; item = item.right) {
      const line = lines.at(-1);
      if (!line || item.deleted) continue;
      const { content } = item;
      if (content instanceof Y.ContentString) {
        const parts = content.str.split('\n');
        line.text += parts[0] ?? '';
        line.own ||= isIn(item, ranges);
        for (const text of parts.slice(1)) lines.push({ text, own: isIn(item, ranges) });
      } else if (content instanceof Y.ContentEmbed) lines.push({ text: '', own: isIn(item, ranges) });
      else if (content instanceof Y.ContentType) {
        if (content.type instanceof Y.XmlElement) lines.push({ text: '', own: false });
        walk(content.type);
      }
    }
  };
  walk(type);
  return lines.filter(({ own }) => own).map(({ text }) => text);
}

/** All texts in a value: a name, a title, a note. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Y.AbstractType) return linesOf(value, null);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(wordsOf);
}
