// Text of a comment: a small document as JSON, stored as a string. Documents from programs are reduced to the known
// elements, or refused; anything that is no document is plain text.

export interface RichMark {
  type: 'bold' | 'italic' | 'strike' | 'code' | 'link';
  attrs?: { href: string };
}

export interface RichNode {
  type: string;
  text?: string;
  marks?: RichMark[];
  attrs?: Record<string, string>;
  content?: RichNode[];
}

/** Length of the JSON. */
export const longestRichText = 16_384;
const deepest = 8;

const within: Record<string, readonly string[]> = {
  doc: ['paragraph', 'bulletList', 'orderedList', 'blockquote'],
  paragraph: ['text', 'hardBreak', 'mention'],
  bulletList: ['listItem'],
  orderedList: ['listItem'],
  listItem: ['paragraph', 'bulletList', 'orderedList'],
  blockquote: ['paragraph'],
};
const simpleMarks: readonly string[] = ['bold', 'italic', 'strike', 'code'];
const safeLink = /^(?:https?:\/\/|mailto:)\S{1,2000}$/i;

/** Null for an empty or an invalid text. */
export function readRichText(given: string): RichNode | null {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    return given.trim() === '' ? null : plainDocument(given);
  }
  // JSON of a number or a string is plain text.
  if (typeof value !== 'object' || value === null) return plainDocument(given);
  const doc = nodeOf(value, ['doc'], 0);
  return doc && plainText(doc).trim() !== '' ? doc : null;
}

export const plainDocument = (text: string): RichNode => ({
  type: 'doc',
  content: text
    .trim()
    .split(/\n+/)
    .map((line) => ({ type: 'paragraph', content: line.trim() === '' ? [] : [{ type: 'text', text: line.trim() }] })),
});

/** Plain text, with a line for each paragraph. */
export function plainText(node: RichNode): string {
  if (node.type === 'text') return node.text ?? '';
  if (node.type === 'hardBreak') return '\n';
  if (node.type === 'mention') return `@${node.attrs?.['label'] ?? ''}`;
  const parts = (node.content ?? []).map(plainText);
  return parts.join(node.type === 'paragraph' ? '' : '\n');
}

/** Plain text of a stored value. */
export function plainOf(stored: string): string {
  const doc = stored === '' ? null : readRichText(stored);
  return doc ? plainText(doc) : '';
}

/** Ids of all people mentioned. */
export function mentionsIn(node: RichNode): string[] {
  const mentioned = node.type === 'mention' && node.attrs?.['id'] ? [node.attrs['id']] : [];
  return [...new Set([...mentioned, ...(node.content ?? []).flatMap(mentionsIn)])];
}

const record = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

function nodeOf(value: unknown, allowed: readonly string[], depth: number): RichNode | null {
  const given = record(value);
  const type = given?.['type'];
  if (!given || typeof type !== 'string' || !allowed.includes(type) || depth > deepest) return null;
  if (type === 'text') {
    const text = given['text'];
    if (typeof text !== 'string' || text === '') return null;
    const marks = (Array.isArray(given['marks']) ? given['marks'] : []).map(markOf);
    if (marks.includes(null)) return null;
    const known = marks.filter((mark) => mark !== null);
    return known.length > 0 ? { type, text, marks: known } : { type, text };
  }
  if (type === 'hardBreak') return { type };
  if (type === 'mention') {
    const { id, label } = record(given['attrs']) ?? {};
    if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id) || typeof label !== 'string') return null;
    return { type, attrs: { id, label: label.slice(0, 200) } };
  }
  const content: RichNode[] = [];
  for (const child of Array.isArray(given['content']) ? given['content'] : []) {
    const node = nodeOf(child, within[type] ?? [], depth + 1);
    if (!node) return null;
    content.push(node);
  }
  return { type, content };
}

function markOf(value: unknown): RichMark | null {
  const given = record(value);
  const type = given?.['type'];
  if (typeof type !== 'string') return null;
  if (simpleMarks.includes(type)) return { type: type as RichMark['type'] };
  const href = record(given?.['attrs'])?.['href'];
  return type === 'link' && typeof href === 'string' && safeLink.test(href) ? { type, attrs: { href } } : null;
}
