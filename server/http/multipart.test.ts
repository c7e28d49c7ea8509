import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundaryOf, fieldBytes, fieldText, readForm, type FormPart } from './multipart.ts';

interface Given {
  name: string;
  fileName: string | null;
  content: Buffer;
}

const boundary = 'one-two';
const quoted = (text: string) => text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');

function written(parts: readonly Given[], preamble = '', epilogue = ''): Buffer {
  const pieces = parts.flatMap(({ name, fileName, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${
        fileName === null ? '' : `; filename="${quoted(fileName)}"`
      }\r\nContent-Type: text/plain\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([Buffer.from(preamble), ...pieces, Buffer.from(`--${boundary}--${epilogue}`)]);
}

/** The bytes in chunks, as a connection delivers them. */
async function* pieces(bytes: Buffer, ends: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const end of [...new Set(ends.map((one) => one % (bytes.length + 1)))].toSorted((a, b) => a - b)) {
    yield bytes.subarray(from, end);
    from = end;
  }
  yield bytes.subarray(from);
}

async function read(bytes: Buffer, ends: readonly number[] = []): Promise<Given[]> {
  const found: Given[] = [];
  for await (const { name, fileName, content } of readForm(pieces(bytes, ends), boundary))
    found.push({ name, fileName, content: await fieldBytes(content, 1e6) });
  return found;
}

/** Contents that look like a delimiter. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom('\r', '\n', '-', '--one-tw', '\r\n--one-', 'o'), { maxLength: 20 })
    .map((parts) => Buffer.from(parts.join('')))
    .filter(
      (bytes) =>
        !bytes.includes(`\r\n--${boundary}`) &&
        !Buffer.concat([Buffer.from('\r\n'), bytes]).includes(`\r\n--${boundary}`),
    ),
);
const text = fc.string({ maxLength: 20 }).map((typed) => typed.replaceAll(/[\0\\%]/g, ''));

describe('a form with files', () => {
  test('is read as it was written, however it is cut into chunks', async () => {
    const part = fc.record({ name: text, fileName: fc.option(text), content });
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.constantFrom('', 'this is nobody’s\r\n'),
        fc.constantFrom('', '\r\n', '\r\nnor this'),
        async (parts, ends, preamble, epilogue) => {
          expect(await read(written(parts, preamble, epilogue), ends)).toEqual(parts);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('continues with the next part when one is read only in part', async () => {
    const parts = ['a', 'b', 'c'].map((name) => ({ name, fileName: null, content: Buffer.alloc(100_000, name) }));
    const names: string[] = [];
    for await (const { name, content: bytes } of readForm(pieces(written(parts), [5000, 150_000]), boundary)) {
      names.push(name);
      for await (const _ of bytes) break;
    }
    expect(names).toEqual(['a', 'b', 'c']);
  });

  test('reads the backslash that curl writes before a quotation mark', async () => {
    const head = 'Content-Disposition: form-data; name="a\\"b"; filename="c\\\\d.wav"';
    const bytes = Buffer.from(`--${boundary}\r\n${head}\r\n\r\nx\r\n--${boundary}--\r\n`);
    expect((await read(bytes)).map(({ name, fileName }) => [name, fileName])).toEqual([['a"b', 'c\\d.wav']]);
  });

  const part = (head: string) => `--${boundary}\r\n${head}\r\n\r\nx\r\n--${boundary}--`;
  test.each([
    ['nothing', ''],
    ['no boundary', 'x'.repeat(5000)],
    ['a part without an end', `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx`],
    [
      'an end that does not come',
      `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--${boundary}`,
    ],
    ['a part that says nothing of itself', part('Content-Type: text/plain')],
    ['a part of another kind', part('Content-Disposition: attachment; name="a"')],
    ['a part without a name', part('Content-Disposition: form-data; filename="a"')],
    ['U+0000 in a name', part('Content-Disposition: form-data; name="a\0"')],
    [
      'something behind a boundary',
      `--${boundary}x\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--${boundary}--`,
    ],
  ])('refuses a malformed form: %s', async (_, bytes) => {
    await expect(read(Buffer.from(bytes))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('limits the size of a head, the number of parts and the size of a text', async () => {
    const long = part(`Content-Disposition: form-data; name="${'a'.repeat(10_000)}"`);
    await expect(read(Buffer.from(long))).rejects.toMatchObject({ code: 'HEADERS' });
    // The limit also holds for a head without an end.
    await expect(read(Buffer.from(`--${boundary}\r\n${'a'.repeat(100_000)}`))).rejects.toMatchObject({
      code: 'HEADERS',
    });
    const many = Array.from({ length: 101 }, () => ({ name: 'a', fileName: null, content: Buffer.from('') }));
    await expect(read(written(many))).rejects.toMatchObject({ code: 'INVALID' });
    expect(await read(written(many.slice(1)))).toHaveLength(100);
    const first = async (bytes: Buffer): Promise<FormPart> => {
      for await (const one of readForm(pieces(bytes, []), boundary)) return one;
      throw new Error('there is none');
    };
    const five = written([{ name: 'a', fileName: null, content: Buffer.from('12345') }]);
    expect(await fieldText((await first(five)).content, 5)).toBe('12345');
    await expect(fieldText((await first(five)).content, 4)).rejects.toMatchObject({ code: 'BIG' });
    const bad = written([{ name: 'a', fileName: null, content: Buffer.from([0xff]) }]);
    await expect(fieldText((await first(bad)).content, 5)).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('reads the boundary from the content type', () => {
    expect(boundaryOf('multipart/form-data; boundary=abc')).toBe('abc');
    expect(boundaryOf('Multipart/Form-Data; charset=utf-8; boundary="a b"')).toBe('a b');
    for (const wrong of [
      undefined,
      '',
      'application/json',
      'multipart/form-data',
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
    ])
      expect(() => boundaryOf(wrong)).toThrow('not accepted');
  });
});
