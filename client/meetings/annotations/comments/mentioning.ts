import type { EditorState } from '@tiptap/pm/state';

import { richSchema } from './rich-schema.ts';

/** Person who can be mentioned. */
export interface Mentioned {
  id: string;
  name: string;
}

/** An @ and the query typed after it, right before the caret. */
export interface Asked {
  from: number;
  to: number;
  query: string;
}

const typed = /(?:^|[\s(])@([\p{L}\p{M}\p{N}'’.-]*(?: [\p{L}\p{M}'’-]*)?)$/u;

export function askedIn({ selection, doc }: EditorState): Asked | null {
  const { $from, empty, from } = selection;
  if (!empty || !$from.parent.isTextblock) return null;
  const before = doc.textBetween($from.start(), from, undefined, '\uFFFC');
  const query = typed.exec(before)?.[1];
  return query === undefined ? null : { from: from - query.length - 1, to: from, query };
}

const mostShown = 6;
const folded = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** People with a word of their name starting with the query; everyone for an empty query. */
export function matching(people: readonly Mentioned[], query: string): Mentioned[] {
  const sought = folded(query.trim());
  return people
    .filter(({ name }) => {
      const whole = folded(name);
      return whole.startsWith(sought) || whole.split(/\s+/).some((word) => word.startsWith(sought));
    })
    .slice(0, mostShown);
}

/** Replaces the typed query by a mention and a space. */
export function mention(state: EditorState, { from, to }: Asked, { id, name }: Mentioned) {
  const node = richSchema.nodes.mention.create({ id, label: name });
  return state.tr.replaceWith(from, to, [node, richSchema.text(' ')]).scrollIntoView();
}
