import { accessesByIdOf, accessesOf, wantsCode, type AccessById } from '#db/access.ts';
import { Problem } from '#shared/problems.ts';
import {
  heldByLayer,
  lacksWriting,
  mayCall,
  refusedByClosing,
  verbBy,
  verbs,
  type LayerVerb,
  type MeetingVerb,
  type Permission,
  type Verb,
  type VerbName,
} from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';

const nothing: ReadonlySet<Permission> = new Set();

/** Error for a caller who may read the meeting but has no permission for this call. */
export function refusalOf(name: VerbName): Problem {
  const { refusal } = verbs[name];
  return new Problem('NO_PERM', refusal === undefined ? {} : { message: refusal });
}

/** Permissions of the caller after they have changed, by the id they came with. */
export async function accessAgain(ctx: Ctx, call: WritingCall, meetingId: string): Promise<ReadonlySet<Permission>> {
  const { held } = await judged(ctx, call.verb, call.layerId ?? meetingId, call);
  return held;
}

/** The call that writes, and the permissions that its caller held when it was let in. */
export interface WritingCall extends Manner {
  verb: VerbName;
  held: ReadonlySet<Permission>;
  /** The layer by whose id the call came. */
  layerId?: string | null;
}

interface Manner {
  /** The write is visible to the caller alone. */
  privately?: boolean;
}

/**
 * Permissions of the caller on a meeting; throws if they do not suffice. The error for a caller who may not read the
 * meeting does not reveal whether it exists.
 */
export async function accessTo(ctx: Ctx, name: MeetingVerb, meetingId: string): Promise<ReadonlySet<Permission>> {
  const { held } = await judged(ctx, name, meetingId);
  return held;
}

/** The same for calls that also accept a layer's id: the meeting, the layer if it is one, and the permissions by it. */
export const accessById = (ctx: Ctx, name: LayerVerb, id: string, manner: Manner = {}): Promise<AccessById> =>
  judged(ctx, name, id, manner);

/** The same for work that several calls share, of which some accept a layer's id. */
export const accessByCall = (ctx: Ctx, name: VerbName, id: string): Promise<AccessById> => judged(ctx, name, id);

async function judged(ctx: Ctx, name: VerbName, id: string, { privately = false }: Manner = {}): Promise<AccessById> {
  const asked = [{ meetingId: id, userId: ctx.person?.id ?? null, browser: ctx.browser ?? null }];
  const [found = null] = await ctx.db.ask((sql) => accessesByIdOf(sql, asked));
  const verb = verbBy(verbs[name], found?.layerId ?? null);
  const held = heldFor(verb, found);
  const refused = mayCall(verb, held, ctx.person !== null, privately);
  if ((refused === null || refused === 'NO_PERM') && lacksWriting(verb, held)) {
    const [open = null] = await ctx.db.ask((sql) => accessesByIdOf(sql, asked, 'living', 'open'));
    if (refusedByClosing(verb, heldFor(verb, open), ctx.person !== null)) {
      if (verb.alsoClosed && found) return { ...found, held };
      throw new Problem('CLOSED');
    }
  }
  if (refused === 'NO_PERM') throw refusalOf(name);
  if (refused === 'NO_ACCESS' && !verb.hidden && (await ctx.db.ask((sql) => wantsCode(sql, id))))
    throw new Problem('IC');
  if (refused) throw new Problem(refused);
  // A call without a permission of its own is one on a meeting, whatever the id is.
  return found ? { ...found, held } : { meetingId: id, layerId: null, held };
}

function heldFor(verb: Verb, found: AccessById | null): ReadonlySet<Permission> {
  if (!found) return nothing;
  return found.layerId === null ? found.held : heldByLayer(verb, found.held);
}

/** Whether the caller may make a call on a meeting, for what does not hang on that alone. */
export async function mayMake(ctx: Ctx, name: VerbName, meetingId: string): Promise<boolean> {
  const asked = [{ meetingId, userId: ctx.person?.id ?? null, browser: ctx.browser ?? null }];
  const [held] = await ctx.db.ask((sql) => accessesOf(sql, asked));
  return mayCall(verbs[name], held ?? nothing, ctx.person !== null) === null;
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
