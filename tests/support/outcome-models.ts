import { expect } from 'vitest';
import type { OutcomeModelView } from '#shared/outcome-models.ts';
import type { Person } from './people.ts';

/** A set with two types: one with grades and types below it, one plain. */
export const greeting = {
  name: 'Service desk',
  language: 'en',
  types: [
    {
      name: 'Greeting',
      about: 'Says who speaks.',
      color: 1,
      grades: [
        { value: 1, name: 'Not yet' },
        { value: 3, name: 'Warm' },
      ],
      children: [{ name: 'Says the name' }, { name: 'Asks for the name' }],
    },
    { name: 'Follow-up' },
  ],
} as const;

export async function makeSet(person: Person, more: object = {}): Promise<OutcomeModelView> {
  const answer = await person.post('/api/outcome-models', { ...greeting, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.model;
}
