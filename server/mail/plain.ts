// Control characters, line and paragraph separators, lone surrogates, direction marks and invisible characters.
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/gu;
const longest = 200;

/** Text as one line, shortened, without hidden characters. */
export function oneLine(typed: string): string {
  const characters = [...typed.normalize('NFC').replaceAll(unseen, ' ').replaceAll(/\s+/gu, ' ').trim()];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : characters.join('');
}

/**
 * A name as typed by a person, for a mail to somebody else. Mail programs turn text that looks like an address into a
 * link, so such text is broken up: "evil.example/login" becomes "evil. example login".
 */
export function plainName(typed: string): string {
  return oneLine(
    typed
      .normalize('NFKC')
      .replaceAll(/[:/\\@]+/gu, ' ')
      .replaceAll(/[.\u3002](?=[^\s.])/gu, '$& '),
  );
}

/** Text that keeps its lines, without hidden characters. */
export function plainText(typed: string): string {
  return typed
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replaceAll(unseen, ' ').trimEnd())
    .join('\n')
    .trim();
}
