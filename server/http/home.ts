import { loopback, type Config } from '../config.ts';
import { isLoopback } from './address.ts';

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

type HeaderOf = (name: string) => string | undefined;

/**
 * Whether a request comes directly from this machine and names it as host: another host name that resolves to this
 * machine belongs to a foreign page.
 */
export function fromThisMachine(remote: string | undefined, header: HeaderOf): boolean {
  const address = `http://${header('host') ?? ''}`;
  return (
    isLoopback(remote) &&
    URL.canParse(address) &&
    loopback(new URL(address).hostname) &&
    forwarding.every((name) => header(name) === undefined)
  );
}

/**
 * Same as `fromThisMachine`, but only if the server is reachable from this machine alone: a proxy could make other
 * clients look local.
 */
export function fromHome(config: Pick<Config, 'atHome'>, remote: string | undefined, header: HeaderOf): boolean {
  return config.atHome && fromThisMachine(remote, header);
}
