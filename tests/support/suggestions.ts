import type { SharedHouse } from './house.ts';
import type { Person } from './people.ts';
import { makeRecording } from './recording.ts';

/** A suggested decision at words of the recording of `makeRecording`, as a search stores it. */
export async function suggest(
  { database }: Pick<SharedHouse, 'database'>,
  meetingId: string,
  { id = `s-${meetingId}`, quote = 'welcome to our practice session', start = 1.55, end = 3.26 } = {},
): Promise<string> {
  await database.sql`
    insert into ai_suggestions (id, meeting_id, type, choices, text, reason, quote, start, "end", model, created_at)
    values (${id}, ${meetingId}, 'decisions', ${['actionItems']}, 'They practise.', 'It says so.', ${quote}, ${start}, ${end},
      'stand-in', now())`;
  return id;
}

/** The address of a call on a suggestion in a new recording of this person. */
export async function suggested(house: SharedHouse, person: Person, call: string): Promise<string> {
  const id = await makeRecording(house, person);
  return `/api/meetings/${id}/outcomes/${await suggest(house, id)}/${call}`;
}
