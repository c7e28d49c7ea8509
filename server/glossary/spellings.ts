import type { Database } from '#db/open.ts';

/** A person whose glossaries a search looks into: those of `scopesOf`, by what the caller has read already. */
interface Reader {
  id: string;
  /** Folders they see. */
  folders: readonly string[];
  groups: readonly string[];
}

/** Most other spellings of one name. */
const mostSpellings = 20;
/** Misheard forms of fewer letters are words of their own, which nearly every recording has. */
const shortest = 3;

/** Other spellings of names, each by its words (`termKey`): the term of a misheard form, and the other way round. */
export async function spellingsFor(
  { ask }: Pick<Database, 'ask'>,
  { id, folders, groups }: Reader,
  names: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await ask(
    (sql) => sql<{ name: string; spelling: string }[]>`
      with own as materialized (
        select g.id from glossaries g where g.user_id = ${id} or g.folder_id = any(${[...folders]}::text[])
          or g.group_id = any(${[...groups]}::text[])
      )
      select distinct n.name, s.spelling from unnest(${[...names]}::text[]) n (name)
      cross join lateral (
        select t.glossary_id, t.term from glossary_terms t where t.term_key = n.name and t.glossary_id in (select id from own)
        union
        select t.glossary_id, t.term from glossary_terms t where t.heard_key = n.name and t.glossary_id in (select id from own)
      ) found
      join glossary_terms o on o.glossary_id = found.glossary_id and o.term = found.term
      cross join lateral (values (o.term_key), (o.heard_key)) s (spelling)
      where s.spelling <> '' and s.spelling <> n.name
      order by n.name, s.spelling`,
  );
  const spellings = new Map<string, string[]>();
  for (const { name, spelling } of rows) {
    const others = spellings.get(name) ?? [];
    if (isLong(spelling) && others.length < mostSpellings) spellings.set(name, [...others, spelling]);
  }
  return spellings;
}

const isLong = (spelling: string): boolean =>
  spelling.length >= shortest || /[^\p{sc=Latin}\p{sc=Cyrillic}\p{N}]/u.test(spelling);
