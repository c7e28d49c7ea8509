import type { Part } from './parts.ts';

/** Type of a document's root; other types found there are foreign. */
export type RootKind = 'text' | 'map' | 'fragment';

/**
 * The roots of each part's document. The transcript's text is one flat `Y.Text` whose segments begin with an embed
 * `{ s: segmentId, p: speakerId }`; nothing in it is ever formatted.
 */
export const roots: Record<Part, Record<string, RootKind>> = {
  transcript: {
    text: 'text',
    segments: 'map',
    timings: 'map',
    identities: 'map',
    checked: 'map',
    speakers: 'map',
    about: 'map',
    toc: 'map',
    bookmarks: 'map',
    highlights: 'map',
    tags: 'map',
    summary: 'map',
  },
  outcomes: { outcomes: 'map' },
  comments: { comments: 'map' },
  notes: { notes: 'fragment', private: 'map' },
  layer: { outcomes: 'map', comments: 'map', grades: 'map' },
};

/** Roots of the transcript's words; they are replaced together. All others are beside the text. */
export const wordRoots: ReadonlySet<string> = new Set([
  'text',
  'segments',
  'timings',
  'identities',
  'checked',
  'speakers',
]);

/** Embed that begins a segment in the transcript's text: two ids and nothing else. */
export function isBoundary(value: unknown): value is { s: string; p: string } {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { s, p } = value as { s?: unknown; p?: unknown };
  return typeof s === 'string' && typeof p === 'string' && s.length <= 64 && p.length <= 64;
}

/** Maximum nesting of maps and lists below a root. */
export const mapDepth = 8;
/** Roots with plain values only, never nested maps or lists. */
export const plainRoots: ReadonlySet<string> = new Set(['segments', 'timings', 'identities', 'checked']);
/** The only root that holds bytes: the times of words, packed. */
export const packedRoot = 'timings';

type Check = (value: unknown) => boolean;
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const shortText: Check = (value) => value === null || (typeof value === 'string' && /^[\w #.,()%-]{0,60}$/.test(value));
const address: Check = (value) => typeof value === 'string' && /^(?:https?:\/\/|mailto:)[^\s]{1,2000}$/i.test(value);

/** Elements of notes, each with its attributes and a check of their values. */
export const noteNodes: Record<string, Record<string, Check>> = {
  paragraph: {},
  heading: { level: oneOf(1, 2, 3, 4, 5, 6) },
  bulletList: {},
  orderedList: { start: (value) => Number.isSafeInteger(value), type: shortText },
  listItem: {},
  taskList: {},
  taskItem: { checked: oneOf(true, false) },
  blockquote: {},
  codeBlock: { language: shortText },
  horizontalRule: {},
  hardBreak: {},
};

const noteMarks: Record<string, Record<string, Check>> = {
  bold: {},
  italic: {},
  underline: {},
  strike: {},
  code: {},
  highlight: { color: shortText },
  link: { href: address, target: oneOf('_blank', null), rel: shortText, class: shortText, title: shortText },
};

/** Whether notes may carry this mark; null ends one. */
export function isMark(key: string, value: unknown): boolean {
  // Marks that may overlap themselves have a hash after their name.
  const [name = ''] = key.split('--');
  const attributes = Object.hasOwn(noteMarks, name) ? noteMarks[name] : undefined;
  if (!attributes) return false;
  if (value === null || value === true) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([attribute, said]) => Object.hasOwn(attributes, attribute) && attributes[attribute]?.(said) === true,
  );
}
