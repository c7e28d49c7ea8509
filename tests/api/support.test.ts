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

test('a fresh server shows its operator feedback in the outbox', async () => {
  const quiet = await openHouse();
  try {
    const stranger = quiet.stranger();
    expect((await stranger.get('/api/feedback')).body).toEqual({ isRead: true, chat: null });
    expect((await stranger.post('/api/feedback', { text: 'Hello' })).status).toBe(204);
    expect(await quiet.database.orm.select().from(feedback)).toHaveLength(1);
    const [mail] = (await stranger.get('/api/outbox')).body;
    expect(mail.text).toContain('Hello');
  } finally {
    await quiet.close();
  }
});

test('where nobody would read it the page says so; what is sent all the same is stored', async () => {
  const deaf = await openHouse({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
  try {
    const stranger = deaf.stranger();
    expect((await stranger.get('/api/feedback')).body).toEqual({ isRead: false, chat: null });
    expect((await stranger.post('/api/feedback', { text: 'Hello' })).status).toBe(204);
    expect(await deaf.database.orm.select().from(feedback)).toHaveLength(1);
  } finally {
    await deaf.close();
  }
});
