import type { Fragment, Sql } from 'postgres';

/** Rows of a table for the recordings `c`, whose alias is `name`: by key, or from the whole table at once. */
export function rowsFor(
  sql: Sql,
  most: boolean,
  {
    name,
    table,
    key,
    columns,
    where,
  }: Record<'name' | 'table' | 'key', string> & { columns: Fragment; where?: Fragment },
): Fragment {
  const [as, from, id] = [sql.unsafe(name), sql.unsafe(table), sql.unsafe(key)];
  return most
    ? sql`(select ${columns} from ${from} where ${where ?? sql`true`} offset 0) ${as} on ${as}.${id} = c.id`
    : sql`lateral (select ${columns} from ${from} where ${id} = c.id and ${where ?? sql`true`} offset 0) ${as} on true`;
}
