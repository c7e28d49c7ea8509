// With no mail server configured, the outbox shows mails to requests from this machine only.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type TestHouse } from '../support/house.ts';
import { startSmtp } from '../support/smtp.ts';

/** Uses node's own client, because fetch does not let callers choose the Host. */
function outboxAs(port: number, headers: Record<string, string>, query = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: `/api/outbox${query}`, headers, setHost: !headers['Host'] });
    call.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on('error', reject).end();
  });
}

// Tests that the rows (outbox.table.ts) cannot hold: other hosts, other configurations, and mails of real actions.

describe('GET /api/outbox', () => {
  let house: TestHouse;
  beforeAll(async () => {
    house = await openHouse();
    for (const [firstName, email] of [
      ['Ann', 'ann@example.test'],
      ['Ben', 'ben@example.test'],
    ] as const) {
      const person = house.stranger();
      person.email = email;
      expect((await person.register({ firstName })).status).toBe(200);
      house.clock.forward(1);
      expect((await person.post('/api/confirm', { email })).status).toBe(204);
      house.clock.forward(1);
    }
  });
  afterAll(() => house.close());

  it('200: the mails to one address, newest first', async () => {
    const { status, body } = await house.stranger().get('/api/outbox?to=ann@example.test');
    expect(status).toBe(200);
    expect(body).toHaveLength(2);
    expect(body[0].at > body[1].at).toBe(true);
    expect(body[0]).toEqual({
      id: expect.any(String),
      to: 'ann@example.test',
      subject: 'Confirm your e-mail address',
      text: expect.stringMatching(/^Hello Ann,\n[^]*\nhttp:\/\/localhost:\d+\/confirm\/[\w.-]+\n/),
      html: expect.stringContaining('<!doctype html>'),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it('200: the same for an address written another way, and nothing for one that got no mail', async () => {
    const person = house.stranger();
    expect((await person.get('/api/outbox?to=ANN@Example.test')).body).toHaveLength(2);
    expect((await person.get('/api/outbox?to=nobody@example.test')).body).toEqual([]);
    expect((await person.get('/api/outbox?to=%25')).body).toEqual([]);
  });

  it('200: without an address the newest of all', async () => {
    const { body } = await house.stranger().get('/api/outbox');
    expect(body.map(({ to }: { to: string }) => to)).toEqual([
      ...Array<string>(2).fill('ben@example.test'),
      ...Array<string>(2).fill('ann@example.test'),
    ]);
  });

  it('200: under each name this machine has for itself', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      expect(await outboxAs(house.port, { Host: `${host}:${house.port}` }), host).toBe(200);
    }
  });

  it.each([
    [{ Host: 'evil.example' }],
    [{ Host: 'localhost.evil.example' }],
    [{ Host: '127.0.0.1.evil.example' }],
    [{ Host: '192.168.1.10:3000' }],
    [{ 'X-Forwarded-For': '127.0.0.1' }],
    [{ 'X-Forwarded-Host': 'localhost' }],
    [{ 'X-Forwarded-Proto': 'http' }],
    [{ 'X-Real-IP': '127.0.0.1' }],
    [{ Forwarded: 'for=127.0.0.1' }],
    [{ Via: '1.1 proxy' }],
  ])('404: for what may come from elsewhere, %j', async (headers) => {
    expect(await outboxAs(house.port, headers)).toBe(404);
  });

  it('links lead to this server, for any headers of the request', async () => {
    const { origin } = house.house;
    const person = house.stranger();
    person.email = 'chen@example.test';
    const answer = await person.register();
    expect(answer.status).toBe(200);
    const resend = {
      headers: { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https', Forwarded: 'host=evil.example' },
    };
    expect((await person.post('/api/confirm', { email: person.email }, resend)).status).toBe(204);
    for (const { text, html } of await house.mails(person.email)) {
      expect(text + html).not.toContain('evil.example');
      expect(text).toContain(`${origin()}/confirm/`);
    }
  });
});

describe('404: GET /api/outbox', () => {
  it('on a public server', async () => {
    const house = await openHouse({ env: { PUBLIC_URL: 'https://colloquy.example' } });
    try {
      expect((await house.stranger().get('/api/outbox')).status).toBe(404);
    } finally {
      await house.close();
    }
  });

  it('with a mail server configured', async () => {
    const smtp = await startSmtp();
    const house = await openHouse({ env: { SMTP_URL: smtp.url } });
    try {
      const person = house.stranger();
      person.email = 'ann@example.test';
      expect((await person.register()).status).toBe(200);
      await expect.poll(() => smtp.arrived.length).toBe(1);
      expect(smtp.arrived[0]?.mail.text).toContain('/confirm/');
      expect((await person.get('/api/outbox?to=ann@example.test')).status).toBe(404);
    } finally {
      await house.close();
      await smtp.close();
    }
  });
});

it('a mail server that does not answer fails no request and makes none wait (A10)', async () => {
  const smtp = await startSmtp();
  smtp.suffer('silent');
  const house = await openHouse({ env: { SMTP_URL: smtp.url } });
  try {
    const person = house.stranger();
    person.email = 'waiting@example.test';
    expect((await person.register()).status).toBe(200);
    expect((await person.post('/api/confirm', { email: person.email })).status).toBe(204);
    // The answer came while the mail server still had neither mail.
    expect((await house.mails(person.email)).map(({ sentAt }) => sentAt)).toEqual([null, null]);
    expect(smtp.arrived).toEqual([]);
  } finally {
    await house.close();
    await smtp.close();
  }
});
