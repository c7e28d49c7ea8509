import { hashOf } from '../keys.ts';

/** `__Host-` makes the browser refuse the cookie from anywhere but this very host over TLS. */
export const sessionCookie = (secure: boolean): string => (secure ? '__Host-colloquy' : 'colloquy');
export const deviceCookie = (secure: boolean): string => (secure ? '__Host-device' : 'device');
export const passCookie = (secure: boolean): string => (secure ? '__Host-pass' : 'pass');

/** What a browser's cookie for links with an access code is known by in the tables. */
export const browserOf = (secret: string | undefined): string | null =>
  secret !== undefined && /^[\w-]{43}$/.test(secret) ? hashOf(secret).toString('base64url') : null;
