import { z } from 'zod';

/** Money is counted in whole micro-dollars, time in whole seconds; one credit is one dollar. */
export const microsPerCredit = 1_000_000n;

/** The least and the most that a person can name in one amount, in credits. */
const creditBounds = { least: '0.01', most: '1000000' } as const;

/** ASCII digits alone: nothing else that some reader takes for a number is an amount. */
const typedCredits = /^([0-9]{1,9})(?:[.,]([0-9]{1,2}))?$/;

/** An amount as people type it, in micro-dollars; null unless it is plain digits with at most two decimals. */
export function parseCredits(typed: string): bigint | null {
  const [, whole, decimals = ''] = typedCredits.exec(typed.trim()) ?? [];
  return whole === undefined
    ? null
    : BigInt(whole) * microsPerCredit + BigInt(decimals.padEnd(2, '0')) * (microsPerCredit / 100n);
}

/** An amount with all its decimals, as `creditsText` writes them; null for anything else. */
export function microsFrom(text: string): bigint | null {
  const [, sign, whole, decimals = ''] = /^(-?)([0-9]{1,12})(?:\.([0-9]{1,6}))?$/.exec(text) ?? [];
  if (whole === undefined) return null;
  const micros = BigInt(whole) * microsPerCredit + BigInt(decimals.padEnd(6, '0'));
  return sign ? -micros : micros;
}

/** Credits as a decimal string: two decimals, more only where a cent is divided. */
export function creditsText(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const plain = micros < 0n ? -micros : micros;
  const decimals = String(plain % microsPerCredit)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${sign}${plain / microsPerCredit}.${decimals}`;
}

/** Price of a length of time; begun micro-dollars count whole. */
export const costOf = (seconds: bigint, microsPerMinute: bigint): bigint => (seconds * microsPerMinute + 59n) / 60n;

/** Whole minutes that an amount pays for; 0 where minutes cost nothing. */
export const minutesFor = (micros: bigint, microsPerMinute: bigint): bigint =>
  micros <= 0n || microsPerMinute <= 0n ? 0n : micros / microsPerMinute;

/** Seconds as minutes on the wire. */
export const minutesOf = (seconds: bigint): number => Number(seconds) / 60;

interface Bounds {
  least?: string;
  most?: string;
}

/** An amount in a body, text or number, within bounds; read as micro-dollars. */
export function creditsInput({ least = creditBounds.least, most = creditBounds.most }: Bounds = {}) {
  const [from, to] = [parseCredits(least), parseCredits(most)];
  return z.union([z.string().max(40, 'amount'), z.number()], 'amount').transform((typed, context) => {
    const micros = parseCredits(String(typed));
    if (micros !== null && from !== null && to !== null && micros >= from && micros <= to) return micros;
    context.addIssue({ code: 'custom', message: 'amount' });
    return z.NEVER;
  });
}
