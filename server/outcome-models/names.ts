import type { Fragment, Sql } from 'postgres';

/**
 * Names of types that people made, and of those below them, as rows `(id, name)`: all of the sets that `ids` select types of.
 * Permissions are the business of callers.
 */
export const ownNames = (sql: Sql, ids: Fragment): Fragment => sql`
  select one.v->>'id' as id, one.v->>'name' as name
  from (
    select distinct left(asked.id, -strpos(reverse(asked.id), '_')) as id from (${ids}) asked (id)
    where starts_with(asked.id, 'own_')
  ) used
  join lateral (select types from outcome_models where outcome_models.id = used.id offset 0) m on true
  cross join lateral jsonb_array_elements(m.types) t (v)
  cross join lateral (select t.v union all select jsonb_array_elements(t.v->'children')) one (v)`;
