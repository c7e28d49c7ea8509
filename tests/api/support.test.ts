// Feedback reaches the operator of the server, without the secrets of the page it came from.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { feedback } from '#db/schema/accounts.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';

const support = 'support@example.test';
let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { SUPPORT_EMAIL: support } });
});
afterAll(() => house?.close());

test('feedback is mailed to the operator, without the secrets of the page it came from', async () => {
  const text =
    'Stuck here.\nhttps://colloquy.example/invitation/canary-secret?code=canary-code\n<img src=x onerror=alert(1)>';
  expect((await house.stranger().post('/api/feedback', { contact: 'dana@example.test', text })).status).toBe(204);
  const [mail] = await house.mails(support);
  expect(mail?.text).toContain('https://colloquy.example/invitation/…');
  expect(mail?.text).toContain('dana@example.test');
  expect(mail?.html).not.toContain('<img src=x');
  const stored = await house.database.orm.select().from(feedback);
  for (const kept of [JSON.stringify(mail), JSON.stringify(stored), house.log()]) expect(kept).not.toContain('canary');
});

test('a signed-in person is answered at their own address', async () => {
  const ann = await house.person('Ann');
  await ann.post('/api/feedback', { contact: 'somebody-else@example.test', text: 'Hello' });
  const [mail] = await house.mails(support);
  expect(mail?.text).toContain(ann.email);
  expect(mail?.text).not.toContain('somebody-else');
});

test('a contact cannot add a line to the mail’s head', async () => {
  await house.stranger().post('/api/feedback', { contact: 'a@example.test\r\nBcc: b@example.test', text: 'Hello' });
  const [mail] = await house.mails(support);
  expect(mail?.subject).not.toMatch(/[\r\n]/);
  expect(mail?.text).not.toMatch(/^Bcc:/m);
});

test('without an address to send it to it is stored all the same', async () => {
  const quiet = await openHouse();
  expect((await quiet.stranger().post('/api/feedback', { text: 'Hello' })).status).toBe(204);
  expect(await quiet.database.orm.select().from(feedback)).toHaveLength(1);
  expect(await quiet.mails(support)).toEqual([]);
  await quiet.close();
});
