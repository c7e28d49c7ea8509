/** What of an address may be a secret: everything after the path, and in our own the token that is part of it. */
const query = /((?:https?:\/\/|\/)[^\s?#"'<>]*)[?#][^\s"'<>]*/giu;
const token = /(\/(?:confirm|reset|invitation|invitations|undo-email-change)\/)[\w.~%-]+/giu;

/** What people and pages tell us about a problem must not carry the key to an account along. */
export function scrubAddresses(text: string): string {
  return text.replaceAll(query, '$1').replaceAll(token, '$1…');
}

/** Controls (line ends, terminal escapes) and invisible directions, each made visible: a line stays one line. */
export function oneLine(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
