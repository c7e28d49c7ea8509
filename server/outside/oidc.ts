import type { Config } from '../config.ts';
import type { IdentityProvider } from './identity.ts';

export function createIdentityProvider(_config: NonNullable<Config['identity']>): IdentityProvider {
  throw new Error('no identity provider yet');
}
