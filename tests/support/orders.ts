import { setTimeout as sleep } from 'node:timers/promises';
import { eq, and } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { orders } from '#db/schema/orders.ts';
import { newId } from '#shared/ids.ts';
import { giveCredits } from './billing.ts';
import type { TestHouse } from './house.ts';
import { beginProcessing, createMeeting, multipart, tone, zoomTranscript, type FilePart } from './intake.ts';
import type { CallOptions, Person } from './people.ts';

/** Address of the operator in the configuration of houses that offer human transcripts. */
export const operatorAddress = 'operator@example.test';

/** Makes a person the operator, instead of the previous one. */
export async function makeOperator(house: TestHouse, person: Person, address = operatorAddress): Promise<void> {
  const emailKey = house.key(address);
  const { orm } = house.database;
  await orm
    .update(users)
    .set({ emailKey: house.key(`${newId(8)}@example.test`) })
    .where(eq(users.emailKey, emailKey));
  await orm.update(users).set({ email: address, emailKey }).where(eq(users.id, person.id));
}

export const recordingForm = (more: Record<string, string | FilePart> = {}): CallOptions =>
  multipart({
    title: 'Monday',
    model: 'trme',
    lang: 'en-US',
    spk_num: '2',
    vocab: 'Colloquy',
    file: { fileName: 'talk.wav', content: tone(7) },
    ...more,
  });

/** Credits of a person who orders a transcript. */
export const orderCredits = 10;

/** Orders a transcript of a recording, with credits given before; resolves when the order is in the queue. */
export async function orderTranscript(
  house: Pick<TestHouse, 'database'>,
  owner: Person,
  form: CallOptions = recordingForm(),
): Promise<{ id: string; meetingId: string }> {
  const { principal } = (await owner.whoami()).body;
  await giveCredits(house, { id: String(principal.id) }, String(orderCredits));
  const { id: meetingId, costs } = await createMeeting(owner, form);
  const begun = await beginProcessing(owner, meetingId, { cost: costs[0] });
  if (begun.status !== 200) throw new Error(begun.text);
  return { id: await orderOf(house, meetingId), meetingId };
}

/** Open order of a meeting, as soon as there is one; the limit of the test bounds the wait. */
export async function orderOf({ database }: Pick<TestHouse, 'database'>, meetingId: string): Promise<string> {
  for (;;) {
    const [row] = await database.orm
      .select({ id: orders.id })
      .from(orders)
      .where(and(eq(orders.meetingId, meetingId), eq(orders.state, 'open')));
    if (row) return row.id;
    await sleep(30);
  }
}

/** Form with which a transcriber delivers an order. */
export const answer = (content: Uint8Array | string = zoomTranscript, transcriptType = 'ZOOM'): CallOptions =>
  multipart({ transcript: { fileName: 'answer.vtt', content }, transcriptType });
