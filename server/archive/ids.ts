import { createHash } from 'node:crypto';

/** An id made of these texts, the same each time. */
export function idOf(...of: string[]): string {
  const digest = createHash('sha256').update(of.join('\n')).digest('hex');
  return BigInt(`0x${digest}`).toString(36).padStart(50, '0').slice(-22);
}
