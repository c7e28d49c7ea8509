// Facets of the list of recordings: by what it can be narrowed (filters.ts).

/** Facets in the order of the screen. */
export const facetNames = [
  'review',
  'folder',
  'owner',
  'speaker',
  'tag',
  'outcomeType',
  'date',
  'length',
  'language',
] as const;
export type FacetName = (typeof facetNames)[number];

/** Facets whose values the index has, as `<name>:<value>`. */
export const indexedFacets = ['speaker', 'tag', 'outcomeType', 'language'] as const satisfies readonly FacetName[];
export type IndexedFacet = (typeof indexedFacets)[number];
export const facetValue = (name: IndexedFacet, value: string): string => `${name}:${value}`;

/** Lengths in minutes: from, to. */
export const lengths = {
  '0-5': [0, 5],
  '5-15': [5, 15],
  '15-30': [15, 30],
  '30-60': [30, 60],
  '60-': [60, null],
} as const;
export type Length = keyof typeof lengths;
export const lengthNames = Object.keys(lengths) as Length[];

/** Value of the facet `folder` for recordings in no folder that the person sees. */
export const noFolder = 'none';
/** Values of a facet in one answer. */
export const mostValues = 50;
