import { hashOf } from '../keys.ts';

/** Cookie names; with `__Host-` the browser accepts the cookie only from this exact host over TLS. */
export const sessionCookie = (secure: boolean): string => (secure ? '__Host-colloquy' : 'colloquy');
export const deviceCookie = (secure: boolean): string => (secure ? '__Host-device' : 'device');
export const passCookie = (secure: boolean): string => (secure ? '__Host-pass' : 'pass');

/** Id under which a browser's cookie for links with an access code is stored. */
export const browserOf = (secret: string | undefined): string | null =>
  secret !== undefined && /^[\w-]{43}$/.test(secret) ? hashOf(secret).toString('base64url') : null;
