import { describe, expect, it } from 'vitest';
import { ConfigError } from '../config.ts';
import { serverOf, smtpMailer } from './smtp.ts';

describe('address of the mail server', () => {
  it.each([
    ['smtp://mail.example', { host: 'mail.example', secure: false, requireTLS: true }],
    ['smtps://mail.example', { host: 'mail.example', secure: true, requireTLS: true }],
    ['smtp://mail.example:25?tls=optional', { host: 'mail.example', port: 25, secure: false, requireTLS: false }],
    ['smtp://127.0.0.1:2525', { host: '127.0.0.1', port: 2525, secure: false, requireTLS: false }],
    ['smtp://localhost', { host: 'localhost', secure: false, requireTLS: false }],
    ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, requireTLS: false }],
    [
      'smtp://ann%40example.test:p%3Aw%2F@mail.example:587',
      {
        host: 'mail.example',
        port: 587,
        secure: false,
        requireTLS: true,
        auth: { user: 'ann@example.test', pass: 'p:w/' },
      },
    ],
  ])('understands %s', (address, server) => {
    expect(serverOf(address)).toEqual(server);
  });

  it.each(['tls=none', 'tls.rejectUnauthorized=false', 'ignoreTLS=true', 'pool=true', 'tls=optional&debug=true'])(
    'cannot switch off what keeps mail safe, or anything else: %s',
    (setting) => {
      const open = () => smtpMailer(`smtp://house:secret@mail.example?${setting}`, 'no-reply@colloquy.example');
      expect(open).toThrow(ConfigError);
      expect(open).toThrow(/SMTP_URL/);
      expect(open).not.toThrow(/secret/);
    },
  );
});
