import { Problem } from '#shared/problems.ts';
import { isTooLong, longestMins } from '#shared/team-rules.ts';
import type { Signed } from '../context.ts';
import { membershipsOf } from '../groups/teams.ts';
import { scopeOf } from '../people/sessions.ts';

/** Refuses a recording that is longer than a team of the person permits. */
export async function refuseTooLong(ctx: Signed, seconds: number | null): Promise<void> {
  if (seconds === null || seconds === 0) return;
  const teams = (await membershipsOf(ctx.db.orm, ctx.person.id)).flatMap(({ id, name, team }) =>
    team ? { id, name, maxDurationMins: team.maxDurationMins } : [],
  );
  if (teams.every(({ maxDurationMins }) => maxDurationMins === null)) return;
  const longest = longestMins(teams, await scopeOf(ctx));
  if (!longest || !isTooLong(seconds, longest.mins)) return;
  const team = teams.find(({ id }) => id === longest.team);
  throw new Problem('INVALID', {
    message: `The team ${team?.name ?? ''} permits recordings of up to ${longest.mins} minutes`,
    errors: [{ field: 'file', code: 'too_long' }],
    info: { maxDurationMins: longest.mins, team: team && { id: team.id, name: team.name } },
  });
}
