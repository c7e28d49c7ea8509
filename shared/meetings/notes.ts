import * as Y from 'yjs';
import { isMark, noteNodes } from './document.ts';

// Personal notes: rich text as a tree of elements, in the form the editor's binding uses. Read and written here as a
// whole, as JSON, for programs.

interface NoteMark {
  type: string;
  attrs?: Record<string, unknown>;
}

export interface NoteNode {
  type: string;
  text?: string;
  attrs?: Record<string, unknown>;
  marks?: NoteMark[];
  content?: NoteNode[];
}

/** Length of the JSON. */
export const longestNotes = 500_000;
const deepest = 16;

const blocks = [
  'paragraph',
  'heading',
  'bulletList',
  'orderedList',
  'taskList',
  'blockquote',
  'codeBlock',
  'horizontalRule',
];
/** Allowed children of each element; an editor drops all others. */
const within: Record<string, readonly string[]> = {
  doc: blocks,
  paragraph: ['text', 'hardBreak'],
  heading: ['text', 'hardBreak'],
  codeBlock: ['text'],
  bulletList: ['listItem'],
  orderedList: ['listItem'],
  taskList: ['taskItem'],
  listItem: blocks,
  taskItem: blocks,
  blockquote: blocks,
};

export const notesOf = (doc: Y.Doc): Y.XmlFragment => doc.getXmlFragment('notes');

export function readNotes(doc: Y.Doc): NoteNode {
  return { type: 'doc', content: notesOf(doc).toArray().flatMap(jsonOf) };
}

function jsonOf(node: Y.XmlElement | Y.XmlText | Y.XmlHook): NoteNode[] {
  if (node instanceof Y.XmlText)
    return (node.toDelta() as { insert: unknown; attributes?: Record<string, unknown> }[]).flatMap(
      ({ insert, attributes = {} }): NoteNode[] => {
        if (typeof insert !== 'string' || insert === '') return [];
        const marks = Object.entries(attributes).map(([key, value]): NoteMark => {
          // Marks that may overlap themselves have a hash after their name.
          const [type = ''] = key.split('--');
          const attrs = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
          return Object.keys(attrs).length > 0 ? { type, attrs } : { type };
        });
        return [marks.length > 0 ? { type: 'text', text: insert, marks } : { type: 'text', text: insert }];
      },
    );
  if (!(node instanceof Y.XmlElement)) return [];
  const attrs = node.getAttributes() as Record<string, unknown>;
  const content = node.toArray().flatMap(jsonOf);
  return [
    {
      type: node.nodeName,
      ...(Object.keys(attrs).length > 0 && { attrs }),
      ...(content.length > 0 && { content }),
    },
  ];
}

/** Null for an invalid document. */
export function parseNotes(given: string): NoteNode | null {
  try {
    return nodeOf(JSON.parse(given), ['doc'], 0);
  } catch {
    return null;
  }
}

const record = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

function nodeOf(value: unknown, allowed: readonly string[], depth: number): NoteNode | null {
  const given = record(value);
  const type = given?.['type'];
  if (!given || typeof type !== 'string' || !allowed.includes(type) || depth > deepest) return null;
  if (type === 'text') return textOf(given);
  const known = noteNodes[type] ?? {};
  const attrs: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(record(given['attrs']) ?? {})) {
    const fits = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!fits?.(attribute)) return null;
    if (attribute !== null) attrs[name] = attribute;
  }
  const content: NoteNode[] = [];
  for (const child of Array.isArray(given['content']) ? given['content'] : []) {
    const node = nodeOf(child, within[type] ?? [], depth + 1);
    if (!node) return null;
    content.push(node);
  }
  return { type, ...(Object.keys(attrs).length > 0 && { attrs }), ...(content.length > 0 && { content }) };
}

function textOf(given: Record<string, unknown>): NoteNode | null {
  const text = given['text'];
  if (typeof text !== 'string' || text === '') return null;
  const marks: NoteMark[] = [];
  for (const one of Array.isArray(given['marks']) ? given['marks'] : []) {
    const mark = record(one);
    const type = mark?.['type'];
    const attrs = record(mark?.['attrs']) ?? {};
    if (typeof type !== 'string' || !isMark(type, attrs)) return null;
    marks.push(Object.keys(attrs).length > 0 ? { type, attrs } : { type });
  }
  return { type: 'text', text, ...(marks.length > 0 && { marks }) };
}

/** Sets the notes; equal blocks at both ends are not touched, so that concurrent typing in them is kept. */
export function writeNotes(doc: Y.Doc, { content = [] }: NoteNode, origin: unknown): void {
  const fragment = notesOf(doc);
  const now = fragment.toArray().map((node) => JSON.stringify(jsonOf(node)[0]));
  const wanted = content.map((node) => JSON.stringify(node));
  const most = Math.min(now.length, wanted.length);
  let head = 0;
  while (head < most && now[head] === wanted[head]) head += 1;
  let tail = 0;
  while (tail < most - head && now.at(-1 - tail) === wanted.at(-1 - tail)) tail += 1;
  if (head === now.length && head === wanted.length) return;
  doc.transact(() => {
    fragment.delete(head, now.length - head - tail);
    fragment.insert(head, content.slice(head, content.length - tail).map(elementOf));
  }, origin);
}

function elementOf(node: NoteNode): Y.XmlElement {
  const element = new Y.XmlElement<Record<string, string | number | boolean>>(node.type);
  for (const [name, value] of Object.entries(node.attrs ?? {})) element.setAttribute(name, value as string);
  const children: (Y.XmlElement | Y.XmlText)[] = [];
  let run: NoteNode[] = [];
  const close = () => {
    if (run.length === 0) return;
    const text = new Y.XmlText();
    text.applyDelta(
      run.map(({ text: insert = '', marks = [] }) => ({
        insert,
        attributes: Object.fromEntries(marks.map(({ type, attrs = {} }) => [type, attrs])),
      })),
    );
    children.push(text);
    run = [];
  };
  for (const child of node.content ?? []) {
    if (child.type === 'text') {
      run.push(child);
      continue;
    }
    close();
    children.push(elementOf(child));
  }
  close();
  element.insert(0, children);
  return element as Y.XmlElement;
}
