// Controls, line and paragraph separators, halves of characters, and what turns the direction of writing or hides.
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/gu;
const longest = 200;

/** One line, short enough, nothing hidden in it. */
export function oneLine(typed: string): string {
  const characters = [...typed.normalize('NFC').replaceAll(unseen, ' ').replaceAll(/\s+/gu, ' ').trim()];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : characters.join('');
}

/**
 * A name as somebody typed it, in a mail to somebody who did not ask for it. Mail programs make links of what only looks
 * like an address, so nothing that does is left: "evil.example/login" arrives as "evil. example login".
 */
export function plainName(typed: string): string {
  return oneLine(
    typed
      .normalize('NFKC')
      .replaceAll(/[:/\\@]+/gu, ' ')
      .replaceAll(/[.\u3002](?=[^\s.])/gu, '$& '),
  );
}

/** A longer text with its lines, less what is hidden in it. */
export function plainText(typed: string): string {
  return typed
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replaceAll(unseen, ' ').trimEnd())
    .join('\n')
    .trim();
}
