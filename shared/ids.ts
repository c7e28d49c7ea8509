const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random id of `length` letters and digits; 22 of them have more than 128 bits, so it cannot be guessed. */
export function newId(length = 22): string {
  const codes: number[] = [];
  while (codes.length < length) {
    // 248 is the largest multiple of 62 below 256: bytes above it would favour the first letters.
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < 248 && codes.length < length) codes.push(alphabet.charCodeAt(byte % 62));
    }
  }
  // The text is made in one piece: letters added one by one stay a chain of pieces, ten times as large.
  return String.fromCharCode(...codes);
}
