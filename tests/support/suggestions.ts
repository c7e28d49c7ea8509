import type { ReviewView } from '#shared/reviews.ts';
import type { SharedHouse } from './house.ts';
import type { Person } from './people.ts';
import { makeRecording } from './recording.ts';

/** A suggested decision at words of the recording of `makeRecording`, as a search stores it. */
export async function suggest(
  { database }: Pick<SharedHouse, 'database'>,
  meetingId: string,
  {
    id = `s-${meetingId}`,
    type = 'decisions',
    text = 'They practise.',
    quote = 'welcome to our practice session',
    start = 1.55,
    end = 3.26,
    layer = null as string | null,
  } = {},
): Promise<string> {
  await database.sql`
    insert into ai_suggestions (id, meeting_id, layer_id, type, choices, text, reason, quote, start, "end", model, created_at)
    values (${id}, ${meetingId}, ${layer}, ${type}, ${['actionItems']}, ${text}, 'It says so.', ${quote}, ${start}, ${end},
      'stand-in', now())`;
  return id;
}

/** The same in the machine's layer of a review. */
export async function suggestIn(
  house: Pick<SharedHouse, 'database'>,
  { id: reviewId, meetingId }: Pick<ReviewView, 'id' | 'meetingId'>,
  more: Parameters<typeof suggest>[2] = {},
): Promise<string> {
  const [machine] = await house.database.sql<{ id: string }[]>`
    select id from layers where review_id = ${reviewId} and kind = 'machine'`;
  return suggest(house, meetingId, { id: `s-${reviewId}`, layer: machine?.id ?? null, ...more });
}

/** The address of a call on a suggestion in a new recording of this person. */
export async function suggested(house: SharedHouse, person: Person, call: string): Promise<string> {
  const id = await makeRecording(house, person);
  return `/api/meetings/${id}/outcomes/${await suggest(house, id)}/${call}`;
}
