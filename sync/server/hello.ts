import { schemaVersion, writeFrame } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { Peer } from './session.ts';

/** The first message to our own client, and again whenever its rights change. */
export const helloTo = ({ generation, damage }: RoomContext, peer: Peer): Uint8Array =>
  writeFrame({
    kind: 'hello',
    hello: {
      generation,
      schema: schemaVersion,
      canWrite: peer.canWrite && !damage,
      history: peer.history && peer.asksHistory === true,
    },
  });
