import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bunzip, Damaged } from './bunzip.ts';
import { untar } from './untar.ts';

/** Data packed by bzip2 itself, with its unpacked length. */
const packed: Record<string, [packed: string, bytes: number, sha256: string]> = {
  nothing: ['QlpoORdyRThQkAAAAAA=', 0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  'each byte once': [
    'QlpoOTFBWSZTWba17pUAAAB/////////////////////////////////////////////sADFUgAAAAAAAAAAAAAAAAAAAAABMAmAAAAAAAAAAAAAAEwABMAEmAAmAAJgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkwAEwABMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPwCAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5/gIGCg4SFhoeIiYqLjI2Oj5CRkpWWl5iZmpucnZ6foKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9vr/AwcLDxMXGxcbHyMnKy8zNzs/Q0dLT1NXW19jZ2tvc3d7f4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9F3JFOFCQtrXulQ=',
    256,
    '40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880',
  ],
  'three million zeros': [
    'QlpoOTFBWSZTWaZFgLIAFvpACMAAQAAACCAAMMwJqmmpAi2pIEXi7kinChIUyLAWQA==',
    3_000_000,
    '35bce4eae54ec8e6cc2868baa8d157914d6ae2858811b4cc0c078c94460fa26f',
  ],
  'runs of each length that is written in another way': [
    'QlpoOTFBWSZTWaUOSZUAAAPBAOAAPgAACCAAIr9U8KeoQwIUlZ5lpsjDiJF8XckU4UJClDkmVA==',
    529,
    'bdaa42d0ac12999bece6f45c61e423b5c7eee64905b725e5b3d2a7c4e1791b94',
  ],
  'two streams': [
    'QlpoOTFBWSZTWWSMu3MAAAABADgAIAAhmBmEYXckU4UJBkjLtzBCWmg5MUFZJlNZQjyw+QAAAAEABwAgACGYGYRhdyRThQkEI8sPkA==',
    6,
    'bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721',
  ],
  'twenty blocks': [
    'QlpoMTFBWSZTWSdZxYIAO4zEAH+qOgBAAjwAAFMAAFMAAFMAABSkU0zVGmnwCvn2BWAVgFagKwCtAVgFfYFbAVqBW4FYBWoCsArQFYBWwK3AVoCtwKyBWgFYBWgKwCtQK2gSbiFVagV6ArqBXsCu4FeAV0BXsCsArAFcArvcghaArJClOAVhAkyAr0BXqArwBXiBXgCvICuoCuwK8ArICuRAk4gk6gVwCuAVwCuAV4BXYCu6Ak+gVkBW4FYQQv2BWAV+AVhClOgK1AryBWAV2BXAK7gV6Ar4BX4BX8BXuBX0Cv4Cv8xQVkmU1nPmLdIAGPSxAB/qjoAQAI8AABTAABTAABTAAAUpFT0zVGJ7Ar6BXwCsgVoBWQK0BWAV9AraBWgK2BWQK0ArIFagVgFbgVtArQFbArAK0ArIFagVgFaAraBJtQVVoCvwCugK9QK7AryBXQFegKyBWQFcArRBCyBWEKU4BWECTAFbArwBXXkBXgCvECtgK6gK7gV5ArICuRAk5Ak6ArkCuAVyBXAK8ArsBXcgSfQKwBWwKxQQv4CsAr9gVkhSnQFaArwCsgV3ArgFdgV+QK9wK/QK+AV6Ar7Ar4BX+YoKyTKaybLvnMgGEzYgA/1R0AIAEeAAApgAApgAApgAAKUkp6bKjE9wK+gV8ArAK1AVgFagVkCvoFdAK0BXQFYBWoCsArQFZAroCugFagV0BWAVqArAK0BWQK0BXVAk6oFVaAr8gV2BXoCvAK2BXcCvUCsArICuQK1IIWAVhClOQKwgSZAV1ArYCtwFbAVsBW4Cu4CvAK2BWQFciBJyBJ2BXAK5ArgFcgVuBXiBXhAk+wKyAroCskEL+ArIFfoFZIUp3ArUCtgVgFeAVyBXgFfgFewK/YFfIFegK+gV6+AV/mKCskyms7SG/ugBek6IAP9UdACABHgAAKYAAKYAAKYAAClJKep7KhtT+Ar2BXyBWAVqArAK0BWAV7ArqArUCuoFZArUBWAVoCsAroCuoCtAV1ArIFaAVgFaArAK1ArpAk6iFVagV9AV3Ar7AryBWwK7Ar7ArAKwBXAK0oIWAVihSnAKyQJMgK6AraBWwFbQK2ArcBXYCvAK2BWAK5ECTkCTuBXAK4BXIFcArYFeAK8IEnoFZAV1ArCCF+wKwCvwCsIUp2BWgK3ArAK8ArgFeAV73Ar4BX6BXoFeQK7Ar4BX+YoKyTKay3JZ5dAGDDogA/1R0AIAEeAAApgAApgAApgAAKUkpsyoxPYFfQK+AVkCtQFZArQFYBX0CuoCtAV0BWAVoBWQK1ArAK6gV1AVoCugKwCtQFZArUCsgVoCuoCTpQVVoCvwCvQFdwK8ArcCvQFdgVkCsgK4BWiCFkCsIUpwCsIEmAK6ArNgK3AVsBW0CtgK7gK8gVuBWQFcUBJyBJ6ArkCuAVwCuAVuBXiBXkgSfQKyAroCsUEL+ArIFfsCskKU9QK0BWwKyBXkCuAV4BX4BXuBX6BXwCuwK7+gV8gV/mKCskymsyRjbSIAZZOIAP9UdACABLgAAFMAAFMAAFMAABSkVM2VJsp/AV9Ar4BWAVqArAK1ArIFfQK2ArUCtgVgFaQKwCtAVkCtgVsCt4BW4FaArAK1AVgFaArAK0BW6BJtQVVoCvwCuewK8ArkCtgV6gV7gVgFZAV2BWpBCwCsIUp2BWECTAFbgVwBXICuQFcAVyAr1AV4BXAKyArsQJOwJPQFdArsCugV2BXAK8AV4QJPsCsAVsCskEL/AVgFfoFZIUp6ArUCuAVgFeAV2BXkCvwCv4Cv2BXyBXsCvoFfAK/5igrJMprOXf7FsANWqiAD/VHQAgAR4AACmAACmAACmAAApSKmbKk2U/gK+wK+QKwCtQFYBWgKwCvsCtwFaArcCsgVoBWAVoCsArYFbgK0BWwKyBWgFZArQFYBWoFbQJNqCqtQK/AK9QK9gV4BXAK9AV7ArIFZAV0CtSCFkCskKU6BWECTICtgVxArgCuQFcAVwBXl7gKwCuAVgCuxAk7Ak9QK6BXQK7AroFcArwBXhAk+gVkBW4FYQQv9ArAK/QKwhSnoCtAVyBWAV4BXQK8Ar8gV/AV+gV8Ar3Ar7Ar4BX/MUFZJlNZJZcflAC6hcQAf6o6AEACPAAAUwAAUwAAUwAAFKRVP0eVDKf0CvoFfAKyBWgFZArUCsAr6BW4CtAVsCsArUBWQK1ArAK3ArcBWgK2BWAVqArAK1ArIFaArcBJuIVVoCv9ArwCvUCvYFcgV4BXoCsArAFdArUghYBWSFKdArJAkyArYFcAVxArgCuIFcAV4Ar2BXIFYArqgJOwJPAK7AroFdAroFcgV7QK9kCT6BWQFbArJBC/QKyBX5ArCFKeQK0BXAKwCucgV0CuAV4BX9ArwCvgFegK+gV8gV/zFBWSZTWb9gr3QAvuZEAH+qOgBAAlwAACmAACmAACmAAApSSnpsqMT2BX0CvgFYBWoCsArQFZAr6BXQFZgFagV0BWAVqArAK0BWQK6AroBWoFdQKwCtQFYBWgKwCtQK6oEnVAqrQFfgFdgV6AryBWwK7gV6gVgFZAVyBWpBCwCsIUpyBWECTAFdQK2ArYCtwFbAVtAruArwCtgVkBXCgScQSdgVwCuQK4BXIFbArwBXhAk+wKwBXUCskEL+ArAK/QKyQpTsCtQK2BWAV4BXIFeQK/AK9gVn6BXyBXoCvoFfAK/zFBWSZTWV1tIwAAuMXEAH+qOgBAAjwAAFMAAFMAAFMAABSklPTZUYnsCvsCvkCsgVqArAK0BWAV9ArqArQFdQKyBWgFYBWgKyBXQFdQFaAroCsgVoBWQK0BWAVoCuqBJ0oKq1Ar8AruBXoCvAK2BXYFegKyBWQFcArRBCyBWEKU4BWUBJkBXQFbQK2ArcBWwFbAV3AV5ArYFZAVyIEnAJO4FcgVwCuQK4BWwK8AV4oEn0CsgK6ArFBC/oFYBX6BWKFKdgVoCvWwK1ArQFcArwCvyBXsCv0Cs+AV6gV9gV8Ar/MUFZJlNZbyQvuwBnVcQAf6o6AEACXAABFMAAFMAAFMAABSkU02lDJ/QK+gV8ArAK0ArIFagVgFfQK3AVoCtgVgFagKwCtQKyBW4FbgK0BWwKwCtQFYBWoFZArQFbgJNxCqtAV6gV0BXuBXYFcgV0BXsCsArAFeAVqQQsArJClPAKyQJMgK2BXAFcQK4ArrkBXAFa77AVoCuQKwBXigJPUCToCvAK8ArwCvIFcgV2gV3QEn0CsgKzYFaIIX6BWQK/IFZQUp1ArQFcArAK7gV4BXYFegK/gK/IFfAK9gV9Ar5ArjFBWSZTWb9LtE4ANytEAH+qOgBAAjwAAFMAAFMAAFMAABSkVPTNUYnsCvsCvgFYBWkCsArQFZAr7ArYCt7gVgFYBWoCsArQFYBWwK2ArUCtwKwCtQFYBWgKwCtQK2gSbUFVaAr8ArqBXoCu4FeAV0BW/UCtAVkBXIFakELAKyQpTgFZIEmAK3AryArwBXqArwBXiBXUBXYFeAVkBXIgScQSdAVwCuQK4BXAK8ArsBXZAk+gVgCtwKyQQv4CsAr9ArJClOgK1AryBWAV2BXIFdwK/AK9gV+gV8gV6Ar6BXwCv8xQVkmU1leUVieAGdSxAB/qjoAQAI8AABTAABTAABTAAAUpJNNlQyfwFfQK+QKyBWgFYBWgKwCvoFdQFaAroCsgVoBWQK0BWAV0BXSBWgK6ArIFaAVkCtQKwCtAV1QJOlBVWoFegK7Ar2BXgFbgV2BXsCsgVkBXAK0QQsgVhClOAVlASZAV0BW4CtgK2ArvcBWwFb8gK9QK0BWQFciBJwCTuBXIFcArkCuAVsCvAFeSBJ9ArICugKyQQv2BWAV+AVkhSnYFaArYFZArwCuAV4BXqBX9Ar8Ar4BXuBX2BXwCv8xQVkmU1nYGQuqAKrCxAB/qjoAQAI8AABTAABTAABTAAAUpFDNSYnyBX4CvoFYBWoCsgVqBWQK/AVuArQFbArAK1AVgFagVkCtwK2ArQFbArAK1AVgFaArIFaArcBJtQVVoCvECvIFeoFdAV2BXmBXqBWAVkBXAK0oIWAVkhSnIFZIEmQFbgV2ArtArsBXcBXYCvICugK7ArAFcUBJyBJ5ArgFcArgFcgV3ArpArogSfoFZAVsCskEL+ArIFdewK0QpT1ArQFbArAK6gVyBXQFeAK+AV7gV9Ar0BX4CvsCv8xQVkmU1nAW48AABYoRAB/qjoAQAHcAAKYAAKYAAKYAAClIqem0oxPYj6I+CMiNBGCNCMEfYjYRqI2IwRqEYI0IwRsRsI1EbiMEahGCNCMEaiNopbohNCPwR0I9CO4jgjoR6EYIwI8iNUVVgjKSV4IyhSwI2I4EcCOQjgRxEdQjsRwRkI8iKXiUuhHkR4I8EeCOCOwjuhS+iMCNxGEqr+EYI/RGFJXQjURwRgjOxHgjuI2I9iP0R8iPQj6I+CP8XckU4UJDsPw0dA==',
    1_999_990,
    '8ecefc20a7fdcc52f6f6093cbccf5ca0470a58517a73ada0d0a9592a2b037643',
  ],
};

/** Splits bytes into chunks of a length. */
function* unpack(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  let at = 0;
  yield* bunzip(() => {
    if (at >= bytes.length) return null;
    at += size;
    return bytes.subarray(at - size, at);
  });
}
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const drain = (chunks: Iterable<Uint8Array>) => {
  const hash = createHash('sha256');
  let length = 0;
  for (const chunk of chunks) {
    hash.update(chunk);
    length += chunk.length;
  }
  return [length, hash.digest('hex')];
};

describe('what bzip2 packed', () => {
  test.for(Object.entries(packed))('is unpacked: %s', ([, [text, length, sha256]]) => {
    for (const size of [1, 7, 1 << 20]) expect(drain(unpack(bytesOf(text), size))).toEqual([length, sha256]);
  });

  test('comes out as it went in or not at all, whichever bit is turned; cut short it is refused', () => {
    const [text, ...whole] = packed['each byte once'] ?? [''];
    const bytes = bytesOf(text);
    let refused = 0;
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const turned = bytes.slice();
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (128 >> (bit & 7));
      try {
        expect(drain(unpack(turned, 1 << 20)), `bit ${bit}`).toEqual(whole);
      } catch (error) {
        if (!(error instanceof Damaged)) throw error;
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(bytes.length * 4);
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => drain(unpack(bytes.slice(0, length), 64)), `${length} bytes`).toThrow(Damaged);
  });
});

describe('an archive of tar', () => {
  /**
   * Archive with long names in the forms of GNU and of POSIX tar: a folder, small files, a long name, and one that
   * leads elsewhere.
   */
  const archives = {
    gnu: 'QlpoOTFBWSZTWZuPyfkAAXx/gc+QBABAA//FZgaeAX6v32AAgAcIMAEMyCNKnohpiaZMmCABgAmQ0YGRIaTJoAABkAMg2oABFQlPRP0pk9Jo9Jo000aGhoND0jBMfx+6TvnZaJ0+hk0AoNDNCCAt1kCAKCF+FdCEtpgjJcWQyRrILAZiJAVgVrrWKZoHRgUPcE1AmXpzb4xno3eFuz9uMImiOyiOFOrJYoEoCgc310pcx2IAmJAUEKxKc0s7CsyiahaE1R1GgpCDaeYH4NbFkBikaHkbAzj9ol0dXYZy18A2dtLrYjQAzAlUAht0wUK1tjnz06mQJp+GgsnKV1E32+kvardtwAlRrx8ITx4VDbRcugkKkSqBRKV55zfirBMF8u03ljPjuHBdxK1bJlvBZ0l97soLB/xdyRThQkJuPyfk',
    posix:
      'QlpoOTFBWSZTWRis+m0AAYR/gc+QBABAA//HZkJWAX7v32AAgAsIMAE4tjEalNMmmEGamEwJ6hpk0YJoBgamlNqYTNE0yMmjE0AMmTagDAikkj000DUMmmTEBoHqAMjDUs3Rs1xtrqlyHPAk7gPWQuu6Ip0ZcmW5NawLFUJAuLNmwTQQsDSIkIuGJLpjlolUoVgnuCZsejhKVWrf2a9v7OxI75bbUtSYl6NGeZQLWJZCgR7LLbkklAQGkwIwNoCKMxFwRxwpTFJs6hKrIIb0yBzwEcIBMh0GbyYmjl0JPv7sn7+NFRmEABJAdVKWDRGMNosoCN1ZChUvfs/LWrVb+iUTAlez5eMyXpiagEvcK/a7v3coJSfuWyKPHmUOndboBIuiluV3C4zhyVAl8nv8cr6xconLF0k2tZ8dJnsWme9E995tILDkLuSKcKEgMVn02g==',
  };
  const long = `models/${'a-long-name-'.repeat(12)}/deep/encoder.int8.onnx`;

  test.for(Object.entries(archives))('hands over what is wanted of it: %s', ([, text]) => {
    const found: Record<string, string> = {};
    untar(unpack(bytesOf(text), 100), (path) => {
      if (path.endsWith('README.md')) return null;
      found[path] = '';
      return (bytes) => void (found[path] += Buffer.from(bytes).toString());
    });
    expect(found).toEqual({
      'm/empty.onnx': '',
      'm/tokens.txt': '<blk> 0\n',
      [long]: 'E'.repeat(1000),
      '../../evil.txt': 'no',
    });
  });

  test('is refused where it is none, or ends too early', () => {
    const whole = Buffer.concat([...unpack(bytesOf(archives.gnu), 1 << 20)].map((chunk) => Buffer.from(chunk)));
    const read = (bytes: Uint8Array) => () => untar([bytes], () => () => {});
    expect(read(whole)).not.toThrow();
    expect(read(whole.subarray(0, 5 * 512 + 100))).toThrow('ends too early');
    expect(read(Buffer.alloc(1024, 65))).toThrow('is none of tar');
  });
});
