// Scripts without blanks between words are counted by characters, as their readers do.
const apart = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;
// Matches from the first letter of a word up to a blank, so that the regular expression is linear for any text.
const word = new RegExp(String.raw`[[${apart}]--[\p{M}\p{P}]]|[[\p{L}\p{N}]--[${apart}]][^\s${apart}]*`, 'gv');

/** Number of words as a reader would count them. */
export const countWords = (text: string): number => text.match(word)?.length ?? 0;
