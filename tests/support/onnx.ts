// Writes small networks in the ONNX format for tests, with results one can calculate by hand.

type Shape = readonly (number | string)[];
type Kind = 'float' | 'int64';
type Attribute = number | readonly number[] | { float: number };

interface Network {
  inputs: Record<string, { kind: Kind; shape: Shape }>;
  outputs: Record<string, { kind: Kind; shape: Shape }>;
  constants?: Record<string, { kind: Kind; shape: readonly number[]; values: readonly number[] }>;
  /** Operations in order: name, inputs, outputs and attributes. */
  steps: [op: string, takes: string[], makes: string[], how?: Record<string, Attribute>][];
  metadata?: Record<string, string | number>;
}

const kinds = { float: 1, int64: 7 } as const;

function varint(value: number | bigint): Buffer {
  let left = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    bytes.push(Number(left & 127n) | (left > 127n ? 128 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}
const whole = (field: number, value: number) => Buffer.concat([varint(field * 8), varint(value)]);
const part = (field: number, content: Buffer | string) => {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
};
const float = (field: number, value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint(field * 8 + 5), bytes]);
};

function described(name: string, { kind, shape }: { kind: Kind; shape: Shape }): Buffer {
  const dims = shape.map((size) => part(1, typeof size === 'number' ? whole(1, size) : part(2, size)));
  const tensor = [whole(1, kinds[kind]), part(2, Buffer.concat(dims))];
  return Buffer.concat([part(1, name), part(2, part(1, Buffer.concat(tensor)))]);
}

function constant(name: string, { kind, shape, values }: NonNullable<Network['constants']>[string]): Buffer {
  const data = Buffer.alloc(values.length * (kind === 'float' ? 4 : 8));
  for (const [i, value] of values.entries())
    if (kind === 'float') data.writeFloatLE(value, i * 4);
    else data.writeBigInt64LE(BigInt(value), i * 8);
  return Buffer.concat([...shape.map((size) => whole(1, size)), whole(2, kinds[kind]), part(8, name), part(9, data)]);
}

function attribute(name: string, value: Attribute): Buffer {
  if (typeof value === 'number') return Buffer.concat([part(1, name), whole(3, value), whole(20, 2)]);
  if ('float' in value) return Buffer.concat([part(1, name), float(2, value.float), whole(20, 1)]);
  return Buffer.concat([part(1, name), ...value.map((one) => whole(8, one)), whole(20, 7)]);
}

export function onnx({ inputs, outputs, constants = {}, steps, metadata = {} }: Network): Buffer {
  const nodes = steps.map(([op, takes, makes, how = {}]) =>
    Buffer.concat([
      ...takes.map((name) => part(1, name)),
      ...makes.map((name) => part(2, name)),
      part(4, op),
      ...Object.entries(how).map(([name, value]) => part(5, attribute(name, value))),
    ]),
  );
  const graph = [
    ...nodes.map((node) => part(1, node)),
    part(2, 'test'),
    ...Object.entries(constants).map(([name, value]) => part(5, constant(name, value))),
    ...Object.entries(inputs).map(([name, value]) => part(11, described(name, value))),
    ...Object.entries(outputs).map(([name, value]) => part(12, described(name, value))),
  ];
  const properties = Object.entries(metadata).map(([key, value]) => [part(1, key), part(2, String(value))]);
  return Buffer.concat([
    whole(1, 8),
    part(2, 'tests'),
    part(7, Buffer.concat(graph)),
    part(8, Buffer.concat([part(1, ''), whole(2, 13)])),
    ...properties.map((property) => part(14, Buffer.concat(property))),
  ]);
}
