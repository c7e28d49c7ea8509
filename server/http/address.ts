import { isIP, isIPv6 } from 'node:net';
import type { Config } from '../config.ts';

/** One spelling for each address: `::ffff:1.2.3.4`, also in hexadecimal, is 1.2.3.4. */
function plainAddress(address: string): string {
  const [, dotted, high, low] = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i.exec(address) ?? [];
  if (dotted) return dotted;
  if (!high || !low) return address.toLowerCase();
  const bytes = [high, low].map((pair) => Number.parseInt(pair, 16)).flatMap((pair) => [pair >> 8, pair & 255]);
  return bytes.join('.');
}

/** Address that limits count: the peer's, or the one a trusted proxy reports. Headers of other senders are ignored. */
export function clientAddress(config: Config, remote: string | undefined, forwarded: string | undefined): string {
  let address = plainAddress(remote ?? 'unknown');
  const trusted = (who: string) => config.trustedProxies.some((proxy) => plainAddress(proxy) === who);
  // Read from the right: each trusted proxy appended the address before it.
  for (const hop of (forwarded ?? '').split(',').toReversed()) {
    const before = plainAddress(withoutPort(hop.trim()));
    if (!trusted(address) || isIP(before) === 0) break;
    address = before;
  }
  return isIPv6(address) ? network(address) : address;
}

const withoutPort = (hop: string): string =>
  /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop)?.slice(1).find(Boolean) ?? hop;

/** The /64 of an IPv6 address: its holder can use any address in it, so it counts as one. */
function network(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const full = tail === undefined ? left : [...left, ...zeros, ...right];
  const groups = full.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.join(':')}::/64`;
}

export const isLoopback = (address: string | undefined): boolean => {
  const plain = plainAddress(address ?? '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
};
