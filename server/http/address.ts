import { isIPv6 } from 'node:net';
import type { Config } from '../config.ts';

/** One spelling an address: `::ffff:1.2.3.4` is 1.2.3.4. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address.toLowerCase();
}

/** Who is counted: whoever connected, or what a proxy we trust says. Nobody else's word is taken. */
export function clientAddress(config: Config, remote: string | undefined, forwarded: string | undefined): string {
  let address = plainAddress(remote ?? 'unknown');
  if (forwarded && config.trustedProxies.some((proxy) => plainAddress(proxy) === address)) {
    // From the right: each proxy we trust appended the one before it.
    for (const hop of forwarded.split(',').map((part) => plainAddress(part.trim())).toReversed()) {
      address = hop;
      if (!config.trustedProxies.some((proxy) => plainAddress(proxy) === hop)) break;
    }
  }
  return isIPv6(address) ? network(address) : address.slice(0, 45);
}

/** Somebody with a /64 has as many addresses as they like: it counts as one. */
function network(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const full = tail === undefined ? left : [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${full.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

export const isLoopback = (address: string | undefined): boolean => {
  const plain = plainAddress(address ?? '');
  return plain === '::1' || /^127\./.test(plain);
};
