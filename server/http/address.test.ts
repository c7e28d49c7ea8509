import { expect, test } from 'vitest';
import type { Config } from '../config.ts';
import { clientAddress, isLoopback } from './address.ts';

const house = (...trustedProxies: string[]) => ({ trustedProxies }) as unknown as Config;

test.each([
  ['nobody is believed where no proxy is trusted', house(), '203.0.113.9', '10.0.0.1', '203.0.113.9'],
  ['a trusted proxy is believed', house('10.0.0.1'), '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['but not what its client says of itself', house('10.0.0.1'), '10.0.0.1', '1.2.3.4, 203.0.113.9', '203.0.113.9'],
  [
    'a chain of trusted proxies is followed',
    house('10.0.0.1', '10.0.0.2'),
    '10.0.0.1',
    '1.2.3.4, 203.0.113.9, 10.0.0.2',
    '203.0.113.9',
  ],
  ['where all are trusted, the first counts', house('10.0.0.1', '10.0.0.2'), '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ['a port is no part of an address', house('10.0.0.1'), '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
  ['nor are brackets', house('10.0.0.1'), '10.0.0.1', '[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['what is no address is not one', house('10.0.0.1'), '10.0.0.1', 'unknown', '10.0.0.1'],
  ['a trusted proxy written as IPv6', house('::ffff:10.0.0.1'), '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['IPv4 in IPv6', house(), '::ffff:203.0.113.9', undefined, '203.0.113.9'],
  ['IPv4 in IPv6, in hexadecimal', house('10.0.0.1'), '10.0.0.1', '::ffff:cb00:7109', '203.0.113.9'],
  ['an IPv6 network counts as one', house(), '2001:db8:a:b:1:2:3:4', undefined, '2001:db8:a:b::/64'],
  ['however it is written', house(), '2001:0DB8:000a:b::4', undefined, '2001:db8:a:b::/64'],
  ['with its zone', house(), 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
  ['loopback', house(), '::1', undefined, '0:0:0:0::/64'],
  ['nobody', house(), undefined, undefined, 'unknown'],
])('%s', (_, config, remote, forwarded, expected) => {
  expect(clientAddress(config, remote, forwarded)).toBe(expected);
});

test('knows this machine by all its addresses', () => {
  for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) expect(isLoopback(address)).toBe(true);
  for (const address of ['10.0.0.1', '128.0.0.1', '::2', '', undefined, '127.evil.example'])
    expect(isLoopback(address)).toBe(false);
});
