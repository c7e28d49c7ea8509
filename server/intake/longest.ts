import type { Orm } from '#db/open.ts';
import { Problem } from '#shared/problems.ts';
import { isTooLong, longestMins } from '#shared/team-rules.ts';
import { askerOf, type Asker } from '../billing/quote.ts';
import type { Signed } from '../context.ts';
import { membershipsOf } from '../groups/teams.ts';

/** Length that a team permits, and the team. */
interface Longest {
  mins: number;
  team: { id: string; name: string };
}

/** The team that does not permit a recording of this length to the person, in the scope that they are in; null: none. */
export async function tooLongFor(
  orm: Orm,
  { id: personId, scopeId = null }: Asker,
  seconds: number | null,
): Promise<Longest | null> {
  if (seconds === null || seconds === 0) return null;
  const teams = (await membershipsOf(orm, personId)).flatMap(({ id, name, team }) =>
    team ? { id, name, maxDurationMins: team.maxDurationMins } : [],
  );
  if (teams.every(({ maxDurationMins }) => maxDurationMins === null)) return null;
  const longest = longestMins(teams, scopeId);
  const team = teams.find(({ id }) => id === longest?.team);
  if (!longest || !team || !isTooLong(seconds, longest.mins)) return null;
  return { mins: longest.mins, team: { id: team.id, name: team.name } };
}

/** Refuses a recording that is longer than a team of the person permits. */
export async function refuseTooLong(ctx: Signed, seconds: number | null): Promise<void> {
  const longest = await tooLongFor(ctx.db.orm, await askerOf(ctx), seconds);
  if (!longest) return;
  const { mins, team } = longest;
  throw new Problem('INVALID', {
    message: `The team ${team.name} permits recordings of up to ${mins} minutes`,
    errors: [{ field: 'file', code: 'too_long' }],
    info: { maxDurationMins: mins, team },
  });
}
