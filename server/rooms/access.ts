import { accessesOf, accessOf, wantsCode } from '#db/access.ts';
import { Problem } from '#shared/problems.ts';
import { lacksWriting, mayCall, refusedByClosing, verbs, type Permission, type VerbName } from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';

const nothing: ReadonlySet<Permission> = new Set();

/** Error for a caller who may read the meeting but has no permission for this call. */
export function refusalOf(name: VerbName): Problem {
  const { refusal } = verbs[name];
  return new Problem('NO_PERM', refusal === undefined ? {} : { message: refusal });
}

/**
 * Permissions of the caller on a meeting; throws if they do not suffice. The error for a caller who may not read the
 * meeting does not reveal whether it exists.
 */
export async function accessTo(
  ctx: Ctx,
  name: VerbName,
  meetingId: string,
  /** `privately`: the write is visible to the caller alone. */
  { privately = false }: { privately?: boolean } = {},
): Promise<ReadonlySet<Permission>> {
  const verb = verbs[name];
  const held =
    (await ctx.db.ask((sql) => accessOf(sql, meetingId, ctx.person?.id ?? null, 'living', ctx.browser ?? null))) ??
    nothing;
  const refused = mayCall(verb, held, ctx.person !== null, privately);
  if ((refused === null || refused === 'NO_PERM') && lacksWriting(verb, held)) {
    const granted = await grantedOn(ctx, meetingId);
    if (refusedByClosing(verb, granted, ctx.person !== null)) throw new Problem('CLOSED');
  }
  if (refused === 'NO_PERM') throw refusalOf(name);
  if (refused === 'NO_ACCESS' && !verb.hidden && (await ctx.db.ask((sql) => wantsCode(sql, meetingId))))
    throw new Problem('IC');
  if (refused) throw new Problem(refused);
  return held;
}

/** Permissions that the caller was granted, also those that a closed text suspends: what they may give to others. */
export async function grantedOn(ctx: Ctx, meetingId: string): Promise<ReadonlySet<Permission>> {
  const asked = [{ meetingId, userId: ctx.person?.id ?? null, browser: ctx.browser ?? null }];
  const [granted] = await ctx.db.ask((sql) => accessesOf(sql, asked, 'living', 'open'));
  return granted ?? nothing;
}

export interface Refused {
  id: string;
  code: 'NO_ACCESS' | 'NO_PERM';
}

/** Splits meetings into those the caller may make this call on and the others, each with its error. */
export async function accessToMany(
  ctx: Ctx,
  name: VerbName,
  ids: readonly string[],
  /** Deleted meetings are visible only to people with permission to restore them. */
  which: 'living' | 'deleted' = 'living',
): Promise<{ allowed: string[]; failed: Refused[] }> {
  const { person } = signedIn(ctx);
  const asked = [...new Set(ids)].toSorted();
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      asked.map((meetingId) => ({ meetingId, userId: person.id })),
      which,
    ),
  );
  const refused = asked.map((_, i) => mayCall(verbs[name], held[i] ?? nothing, true));
  return {
    allowed: asked.filter((_, i) => refused[i] === null),
    failed: asked.flatMap((id, i): Refused[] => {
      if (refused[i] === null) return [];
      return [{ id, code: which === 'living' && refused[i] === 'NO_PERM' ? 'NO_PERM' : 'NO_ACCESS' }];
    }),
  };
}
