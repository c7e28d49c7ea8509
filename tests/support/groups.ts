import { expect } from 'vitest';
import type { GroupRole } from '#shared/group-rules.ts';
import type { GroupDetail, GroupView } from '#shared/groups.ts';
import type { Person } from './people.ts';

/** Creates a group with members who accept the role they are invited to. */
export async function makeGroup(
  by: Person,
  members: readonly (Person | [Person, GroupRole])[] = [],
  name = `Interviews ${by.id}`,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const made = await by.post('/api/groups', { name, ...fields });
  expect(made.status, made.text).toBe(200);
  const { id } = made.body as GroupView;
  for (const one of members) {
    const [person, role] = Array.isArray(one) ? one : [one, 'member' as const];
    await inviteTo(by, id, person.email, role);
    const joined = await person.post(`/api/groups/${id}/accept`);
    expect(joined.status, joined.text).toBe(200);
  }
  return id;
}

export async function inviteTo(
  by: Person,
  id: string,
  email: string,
  role: GroupRole = 'member',
): Promise<GroupDetail> {
  const answer = await by.post(`/api/groups/${id}/members`, { members: [{ email, role }] });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as GroupDetail;
}

/** Creates a team with centralized billing, for which its maker pays. */
export const makeTeam = (
  by: Person,
  members: readonly (Person | [Person, GroupRole])[] = [],
  fields: Record<string, unknown> = {},
): Promise<string> => makeGroup(by, members, `Team of ${by.id}`, { type: 'team', ...fields });
