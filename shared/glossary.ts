import { z } from 'zod';
import { bidi, controls } from './email.ts';
import { tokensOf } from './finding/tokens.ts';
import { plainName } from './library.ts';

// How names are spelled, and what they were misheard as: for a person, a folder or a group.

export const glossaryKinds = ['person', 'folder', 'group'] as const;
export type GlossaryKind = (typeof glossaryKinds)[number];

export const glossaryLimits = { terms: 500, letters: 100, heard: 10, atOnce: 100 } as const;

/** Words of a term, as search compares them; empty for a text without letters and digits. */
export const termKey = (text: string): string => wordsOf(text).join(' ');

function wordsOf(text: string): string[] {
  const tokens = tokensOf(text);
  // The pairs before it contain the last character of a run already.
  return tokens.flatMap(({ word, kind }, nth) => (kind === 'last' && tokens[nth - 1]?.kind === 'pair' ? [] : [word]));
}

const spelling = z
  .string('required')
  .transform(plainName)
  .pipe(
    z
      .string()
      .min(1, 'required')
      .max(glossaryLimits.letters, 'too_long')
      .refine((text) => !controls.test(text) && !bidi.test(text) && (text === '' || termKey(text) !== ''), 'name'),
  );

const many = <T extends z.ZodType>(one: T) => z.array(one).max(glossaryLimits.atOnce, 'too_many').default([]);

export const glossaryInput = z
  .object({
    add: many(
      z.strictObject({ term: spelling, heard: z.array(spelling).max(glossaryLimits.heard, 'too_many').default([]) }),
    ),
    /** Whole terms, or with `heard` that form of a term alone. */
    remove: many(z.strictObject({ term: spelling, heard: spelling.optional() })),
  })
  .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], error: 'required' });
export type GlossaryInput = z.output<typeof glossaryInput>;

const termView = z.strictObject({
  term: z.string(),
  /** Name of the person who added it; null for an account that is gone. */
  by: z.string().nullable(),
  mayRemove: z.boolean(),
  heard: z.array(z.strictObject({ text: z.string(), mayRemove: z.boolean() })),
});
export type TermView = z.infer<typeof termView>;

const glossaryView = z.strictObject({
  kind: z.enum(glossaryKinds),
  /** Id of the person, folder or group. */
  id: z.string(),
  /** Name of the folder or group; empty for the caller’s own. */
  name: z.string(),
  mayAdd: z.boolean(),
  terms: z.array(termView),
});
export type GlossaryView = z.infer<typeof glossaryView>;

export const glossariesAnswer = z.strictObject({ glossaries: z.array(glossaryView) });
export type GlossariesAnswer = z.infer<typeof glossariesAnswer>;

/** A term that was added or removed, or of one that stays these misheard forms. */
const changedTerm = z.strictObject({ term: z.string(), heard: z.array(z.string()) });

export const glossaryAnswer = z.strictObject({
  glossary: glossaryView,
  added: z.array(changedTerm),
  removed: z.array(changedTerm),
  /** Undoes it (`POST /api/actions/{id}/undo`); null where nothing was changed. */
  action: z.string().nullable(),
});
export type GlossaryAnswer = z.infer<typeof glossaryAnswer>;
