import type { Part } from './parts.ts';

/** What a root of a document is; anything else found there was not written by us. */
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
};
