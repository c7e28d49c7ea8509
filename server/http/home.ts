import { loopback, type Config } from '../config.ts';
import { isLoopback } from './address.ts';

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

type HeaderOf = (name: string) => string | undefined;

/**
 * Whether the connection comes straight from this machine, and asks for it by a name of its own: a foreign name that
 * resolves to this machine is somebody else's page.
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

/** The same, where the house is theirs alone: a proxy may pass others on as if they were local. */
export function fromHome(config: Pick<Config, 'atHome'>, remote: string | undefined, header: HeaderOf): boolean {
  return config.atHome && fromThisMachine(remote, header);
}
