import type { Fragment, Sql } from 'postgres';
import { spellingsOf, type Term } from '#shared/finding/query.ts';
import { isUnspaced } from '#shared/finding/tokens.ts';
import { folded, foldTitle } from '../rooms/projection.ts';

// Names of the people who added recordings. No document has them and each list shows them, so words of a search are looked
// for in them as well; but for one's own, which no list shows, or a search for it would find all that one has.

/** Signs between the words of a name, and letters that words of a search do not have, each with what stands for it. */
const joints = `-.,'’()"_`;
const [letters, usual] = [`${joints}ς`, `${' '.repeat(joints.length)}σ`];

/** Parts that a name has for a term, all of any of these lists; each word of a name has a blank before and after it. */
const partsOf = (term: Term): string[][] =>
  spellingsOf(term).map(({ words, prefix }) =>
    words.map(({ word }, nth) => {
      const part = foldTitle(word);
      if (isUnspaced(part)) return part;
      return ` ${part}${prefix && nth === words.length - 1 ? '' : ' '}`;
    }),
  );

export function isNamed(term: Term, name: string): boolean {
  const key = [...foldTitle(name)]
    .map((one) => usual[letters.indexOf(one)] ?? one)
    .join('')
    .replaceAll('ß', 'ss');
  return partsOf(term).some((parts) => parts.every((part) => ` ${key} `.includes(part)));
}

/** Other owners of `held`, as rows `(id, key)` for the table `uploaders`: few, so that each name is folded once. */
export const uploadersOf = (sql: Sql, personId: string): Fragment => sql`
  select u.id, ' ' || replace(translate(${folded(sql, sql`u.first_name || ' ' || u.last_name`)}, ${letters}, ${usual}), 'ß', 'ss') || ' ' as key
  from (select distinct owner_id from held where owner_id <> ${personId}) c
  cross join lateral (select id, first_name, last_name from users where id = c.owner_id offset 0) u`;

/** The name of another owner of `r` has a term, where it is in their list. */
export function namedBy(sql: Sql, term: Term, r: Fragment): Fragment {
  const has = partsOf(term).reduce(
    (any, parts) =>
      sql`${any} or (${parts.reduce((all, part) => sql`${all} and strpos(w.key, ${part}) > 0`, sql`true`)})`,
    sql`false`,
  );
  return sql`(${r}.listed and (${r}.owner_id in (select w.id from uploaders w where ${has})) is true)`;
}
