// Yjs's update format 1, written by hand, including updates that no Yjs would write.
import * as encoding from 'lib0/encoding';
import { message, syncStep } from '#sync/protocol.ts';

type Bytes = Uint8Array;

const bytesOf = (write: (encoder: encoding.Encoder) => void): Bytes => Buffer.from(encoding.encode(write));
export const join = (...parts: readonly Uint8Array[]): Bytes => Buffer.concat(parts);
export const number = (value: number): Bytes => bytesOf((encoder) => encoding.writeVarUint(encoder, value));
export const word = (value: string): Bytes => bytesOf((encoder) => encoding.writeVarString(encoder, value));
export const anything = (value: unknown): Bytes => bytesOf((encoder) => encoding.writeAny(encoder, value as never));

/** Position of a structure: in a root, at a key of a root, behind or before another one, or inside another one. */
type Place =
  | { root: string; key?: string }
  | { behind: Id; before?: Id }
  | { before: Id }
  | { inside: Id; key?: string };
interface Id {
  client: number;
  clock: number;
}

const id = ({ client, clock }: Id): Bytes => join(number(client), number(clock));

function item(kind: number, place: Place, content: Bytes): Bytes {
  const key = 'key' in place && place.key !== undefined ? place.key : null;
  const flags =
    ('behind' in place ? 0x80 : 0) | ('before' in place && place.before ? 0x40 : 0) | (key === null ? 0 : 0x20);
  const parts: Bytes[] = [Uint8Array.of(kind | flags)];
  if ('behind' in place) parts.push(id(place.behind));
  if ('before' in place && place.before) parts.push(id(place.before));
  if ('root' in place) parts.push(number(1), word(place.root));
  if ('inside' in place) parts.push(number(0), id(place.inside));
  if (key !== null) parts.push(word(key));
  return join(...parts, content);
}

export const struct = {
  gc: (length: number): Bytes => join(Uint8Array.of(0), number(length)),
  skip: (length: number): Bytes => join(Uint8Array.of(10), number(length)),
  deleted: (place: Place, length: number): Bytes => item(1, place, number(length)),
  json: (place: Place, values: readonly string[]): Bytes =>
    item(2, place, join(number(values.length), ...values.map(word))),
  binary: (place: Place, bytes: Bytes): Bytes => item(3, place, join(number(bytes.byteLength), bytes)),
  string: (place: Place, text: string): Bytes => item(4, place, word(text)),
  embed: (place: Place, json: string): Bytes => item(5, place, word(json)),
  format: (place: Place, name: string, json: string): Bytes => item(6, place, join(word(name), word(json))),
  /** 0 array, 1 map, 2 text, 3 element, 4 fragment, 5 hook, 6 XML text. */
  type: (place: Place, type: number, name?: string): Bytes =>
    item(7, place, join(number(type), name === undefined ? new Uint8Array() : word(name))),
  any: (place: Place, values: readonly Bytes[]): Bytes => item(8, place, join(number(values.length), ...values)),
  doc: (place: Place): Bytes => item(9, place, join(word('a document'), anything({}))),
};

interface Block extends Id {
  structs: readonly Bytes[];
}
/** Deletions of one client: clock and length of each range. */
type Deletes = readonly { client: number; ranges: readonly (readonly [clock: number, length: number])[] }[];

export const update = (blocks: readonly Block[], deletes: Deletes = []): Bytes =>
  join(
    number(blocks.length),
    ...blocks.map(({ client, clock, structs }) =>
      join(number(structs.length), number(client), number(clock), ...structs),
    ),
    number(deletes.length),
    ...deletes.map(({ client, ranges }) =>
      join(
        number(client),
        number(ranges.length),
        ...ranges.map(([clock, length]) => join(number(clock), number(length))),
      ),
    ),
  );

const framed =
  (step: number) =>
  (payload: Bytes): Bytes =>
    join(number(message.sync), number(step), number(payload.byteLength), payload);

export const asUpdate = framed(syncStep.update);
export const asState = framed(syncStep.state);
export const asQuestion = framed(syncStep.ask);

/** A state vector with these entries, in this order. */
export const stateVector = (entries: readonly (readonly [client: number, clock: number])[]): Bytes =>
  bytesOf((encoder) => {
    encoding.writeVarUint(encoder, entries.length);
    for (const entry of entries) for (const part of entry) encoding.writeVarUint(encoder, part);
  });

interface Claim {
  client: number;
  clock: number;
  json: string;
}
export const presence = (claims: readonly Claim[]): Bytes => {
  const payload = join(
    number(claims.length),
    ...claims.flatMap(({ client, clock, json }) => [number(client), number(clock), word(json)]),
  );
  return join(number(message.presence), number(payload.byteLength), payload);
};

/** One block of a new client. */
export const one = (client: number, ...structs: readonly Bytes[]): Bytes => update([{ client, clock: 0, structs }]);

/** A value of arrays in arrays; the innermost is empty. */
export const nested = (depth: number): Bytes =>
  join(...Array.from({ length: depth - 1 }, () => Uint8Array.of(117, 1)), Uint8Array.of(117, 0));
