/** Parts of an address that may be secret: everything after the path, and tokens within the product's own paths. */
const query = /((?:https?:\/\/|\/)[^\s?#"'<>]*)[?#][^\s"'<>]*/giu;
const token = /(\/(?:confirm|reset|invitation|invitations|undo-email-change)\/)[\w.~%-]+/giu;

/** Removes secrets from addresses in reports of people and pages, so that they cannot open an account. */
export function scrubAddresses(text: string): string {
  return text.replaceAll(query, '$1').replaceAll(token, '$1…');
}

/** Escapes control characters (line ends, terminal escapes) and direction marks, so that an entry stays one line. */
export function oneLine(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
