// Separate from the schemas, so that a page can check an address without loading them.

// Bidirectional overrides and isolates make one name look like another.
export const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
export const controls = /\p{Cc}/u;

export const longestEmail = 254;
const pattern = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:".]+(\.[^\s@<>()[\]\\,;:".]+)*\.?$/u;

export function isEmail(value: string): boolean {
  const address = value.trim();
  return (
    address.length <= longestEmail &&
    pattern.test(address) &&
    !controls.test(address) &&
    !bidi.test(address) &&
    // Compatibility forms (wide, raised, joined letters) would give two mailboxes one account.
    address.normalize('NFC') === address.normalize('NFKC')
  );
}
