import { inArray } from 'drizzle-orm';
import type { TransactionSql } from 'postgres';
import { outcomeModels } from '#db/schema/outcome-models.ts';
import type { OwnModelId } from '#shared/account-choices.ts';
import { setOfType, type OwnChild, type OwnType } from '#shared/meetings/own-types.ts';
import type { SetView } from '#shared/outcome-models.ts';
import type { House } from '../context.ts';
import { idOf } from './ids.ts';
import { DamagedZip } from './read-zip.ts';

// Sets of outcome types that people made, as an archive brings them: the words are of nobody here, and no id in an archive
// shows the words of a set that this house has.

interface SetsHere {
  /** With the ids that they and their types have here. */
  sets: SetView[];
  /** Id of a type here; of a set that is not in the archive, one that this house does not have. */
  typeHere(type: string): string;
}

/**
 * A set keeps its id where that is new here, or where the archive has its words as they are here: who made the archive
 * reads them anyway. Else the words of the archive become a set of another id.
 */
export async function setsHere({ db }: Pick<House, 'db'>, archived: readonly SetView[]): Promise<SetsHere> {
  for (const set of archived) requireShape(set);
  const { id, types } = outcomeModels;
  const ids = archived.map((set) => set.id);
  const rows = ids.length === 0 ? [] : await db.orm.select({ id, types }).from(outcomeModels).where(inArray(id, ids));
  const stored = new Map(rows.map((row) => [row.id, row.types]));
  const here = new Map(
    archived.map((set): [OwnModelId, OwnModelId] => {
      const there = stored.get(set.id);
      return [set.id, !there || tells(set.types, there) ? set.id : `own_${idOf(JSON.stringify(set))}`];
    }),
  );
  const typeHere = (type: string): string => {
    const set = setOfType(type);
    return set === null ? type : `${here.get(set) ?? `own_${idOf(set)}`}${type.slice(set.length)}`;
  };
  const moved = <One extends OwnChild>(one: One): One => ({ ...one, id: typeHere(one.id) });
  return {
    typeHere,
    sets: archived.map((set) => ({
      ...set,
      id: here.get(set.id) ?? set.id,
      types: set.types.map((type) => ({ ...moved(type), children: type.children.map(moved) })),
    })),
  };
}

const every = (types: readonly OwnType[]): OwnChild[] => types.flatMap((type) => [type, ...type.children]);

const tells = (archived: readonly OwnType[], stored: readonly OwnType[]): boolean => {
  const names = new Map(every(stored).map(({ id, name }) => [id, name]));
  return every(archived).every(({ id, name }) => names.get(id) === name);
};

/** Number at the end of a type's id. */
const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('_') + 1));

function requireShape({ id, types }: SetView): void {
  const all = every(types).map((one) => one.id);
  const isOf = (one: string) => setOfType(one) === id && /_[1-9]\d{0,6}$/.test(one);
  if (all.length === 0 || new Set(all).size < all.length || !all.every(isOf))
    throw new DamagedZip(`the set of outcome types ${id} has another shape`);
}

/** Names sets for a recording; those that are new here belong to nobody. */
export async function storeSets(
  tx: TransactionSql,
  meetingId: string,
  sets: readonly SetView[],
  now: Date,
): Promise<void> {
  for (const { id, name, language, types } of sets) {
    const last = Math.max(...every(types).map((one) => numberOf(one.id)));
    await tx`
      insert into outcome_models (id, name, language, types, last_type, created_at)
      values (${id}, ${name}, ${language}, ${JSON.stringify(types)}::text::jsonb, ${last}, ${now.toISOString()}::timestamptz)
      on conflict do nothing`;
    await tx`insert into meeting_sets (meeting_id, set_id) values (${meetingId}, ${id}) on conflict do nothing`;
  }
}
