import { lookup as resolve } from 'node:dns';
import { request as insecure, type IncomingMessage } from 'node:http';
import { request as secure } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';

// Requests to services whose answers name further addresses. An address is requested only on the service's own host, by
// the same protocol; with https, hosts that resolve to private addresses are refused.

/** Address of a service; requests to it and to its subdomains are allowed. */
export interface Place {
  protocol: string;
  host: string;
  port: string;
}

export const placeOf = (url: string): Place => {
  const { protocol, hostname, port } = new URL(url);
  return { protocol, host: hostname, port };
};

export function isWithin({ protocol, host, port }: Place, url: URL): boolean {
  if (url.protocol !== protocol || url.port !== port || url.username !== '' || url.password !== '') return false;
  return url.hostname === host || (isIP(host) === 0 && url.hostname.endsWith(`.${host}`));
}

/** The answer names an address outside the service. */
export class Astray extends Error {
  override name = 'Astray';
}

/** No answer, too long an answer, or none in time; the message never contains text of the service. */
export class Silent extends Error {
  override name = 'Silent';
}

export interface Asking {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

export interface Answered {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

const patienceMs = 15_000;
const mostBytes = 4 * 1024 * 1024;

/** Requests a short answer and reads it whole; redirects are not followed. */
export async function ask(url: URL, within: Place, asking: Asking = {}): Promise<Answered> {
  const late = AbortSignal.timeout(patienceMs);
  const signal = asking.signal ? AbortSignal.any([late, asking.signal]) : late;
  const answer = await open(url, within, { ...asking, signal });
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > mostBytes) throw new Silent('it says too much');
      pieces.push(piece);
    }
  } catch (error) {
    answer.destroy();
    asking.signal?.throwIfAborted();
    throw error instanceof Silent ? error : new Silent(late.aborted ? 'it took too long' : 'the line broke');
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces).toString('utf8') };
}

interface Download {
  status: number;
  headers: IncomingMessage['headers'];
  content: Readable;
}

const mostHops = 5;
const redirects = [301, 302, 303, 307, 308];
/** Milliseconds until an answer begins, and between two chunks of it. */
const quietMs = 60_000;

/**
 * Requests a long answer. Each redirect is checked like the first address; headers that authenticate go only to the
 * first host.
 */
export async function download(
  url: URL,
  within: Place,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
  quiet = quietMs,
): Promise<Download> {
  let at = url;
  for (let hop = 0; hop <= mostHops; hop += 1) {
    const { Authorization: _, ...plain } = headers;
    const answer = await open(at, within, { headers: at.host === url.host ? headers : plain, signal }, quiet);
    const status = answer.statusCode ?? 0;
    const { location } = answer.headers;
    if (!redirects.includes(status) || location === undefined) {
      // Ends an answer that stops in the middle.
      answer.setTimeout(quiet, () => answer.destroy(new Silent('it fell silent')));
      return { status, headers: answer.headers, content: answer };
    }
    answer.destroy();
    if (!URL.canParse(location, at)) throw new Astray('to nowhere');
    at = new URL(location, at);
  }
  throw new Astray('round and round');
}

function open(url: URL, within: Place, asking: Asking, quiet = patienceMs): Promise<IncomingMessage> {
  if (!isWithin(within, url)) return Promise.reject(new Astray('to another host'));
  const { method = 'GET', headers = {}, body, signal } = asking;
  return new Promise((answered, failed) => {
    const start = url.protocol === 'https:' ? secure : insecure;
    const request = start(
      url,
      {
        method,
        headers: {
          Accept: 'application/json',
          'Accept-Encoding': 'identity',
          ...headers,
          ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
        agent: false,
        // An http service is on this machine, as the operator configured, so its address needs no check.
        ...(url.protocol === 'https:' && { lookup: worldwide }),
        ...(signal && { signal }),
      },
      answered,
    );
    request.setTimeout(quiet, () => request.destroy(new Silent('it did not answer')));
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (signal?.aborted && signal.reason instanceof Error) return failed(signal.reason);
      failed(error instanceof Silent || error instanceof Astray ? error : new Silent(error.code ?? error.name));
    });
    request.end(body);
  });
}

/** Address ranges of this machine and of private networks. */
const inside = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inside.addSubnet(net, bits, 'ipv6');

export const isInside = (address: string): boolean =>
  inside.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') ||
  // An IPv4 address written as IPv6.
  (/^::ffff:/i.test(address) && inside.check(address.slice(7), 'ipv4'));

const worldwide: LookupFunction = (host, options, answer) => {
  resolve(host, { ...options, all: true }, (error, addresses) => {
    if (error) return answer(error, '', 0);
    const [first] = addresses;
    if (!first || addresses.some(({ address }) => isInside(address)))
      return answer(new Astray('to an address of this network'), '', 0);
    if (options.all) return answer(null, addresses);
    return answer(null, first.address, first.family);
  });
};
