// Language of a paragraph, as far as its script tells: for the browser's spelling and for screen readers.

/** Scripts, each with the language most likely meant where the recording is in one of another script. */
const scripts: readonly [script: RegExp, lang: string][] = [
  [/\p{sc=Latin}/u, 'en'],
  [/\p{sc=Cyrillic}/u, 'ru'],
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/u, 'ja'],
  [/\p{sc=Han}/u, 'zh'],
  [/\p{sc=Hangul}/u, 'ko'],
  [/\p{sc=Arabic}/u, 'ar'],
  [/\p{sc=Hebrew}/u, 'he'],
  [/\p{sc=Greek}/u, 'el'],
  [/\p{sc=Devanagari}/u, 'hi'],
  [/\p{sc=Thai}/u, 'th'],
];

/** Scripts of languages that are not written in Latin letters. */
const written: Readonly<Record<string, readonly string[]>> = {
  ru: ['ru'],
  uk: ['ru'],
  be: ['ru'],
  bg: ['ru'],
  mk: ['ru'],
  kk: ['ru'],
  sr: ['ru', 'en'],
  ja: ['ja', 'zh'],
  zh: ['zh'],
  yue: ['zh'],
  ko: ['ko', 'zh'],
  ar: ['ar'],
  fa: ['ar'],
  ur: ['ar'],
  he: ['he'],
  el: ['el'],
  hi: ['hi'],
  mr: ['hi'],
  ne: ['hi'],
  th: ['th'],
};

/** Letters that are looked at; a paragraph has one language. */
const enough = 200;

/**
 * Language of a text whose letters are mostly of another script than the recording's language; empty for the
 * recording's own, which the text around has.
 */
export function foreignLanguage(text: string, recording: string): string {
  if (recording === '') return '';
  const counts = new Map<string, number>();
  let letters = 0;
  for (const letter of text) {
    if (letters === enough) break;
    const found = scripts.find(([script]) => script.test(letter));
    if (!found) continue;
    letters += 1;
    counts.set(found[1], (counts.get(found[1]) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (!most || most[1] * 2 <= letters) return '';
  const base = recording.toLowerCase().split(/[-_]/)[0] ?? '';
  return (written[base] ?? ['en']).includes(most[0]) ? '' : most[0];
}
