// Scripts that write no blanks between words are counted by characters, as their readers do.
const apart = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;
// From a word's first letter up to a blank: nothing is ever looked at twice, however odd the text.
const word = new RegExp(String.raw`[[${apart}]--[\p{M}\p{P}]]|[[\p{L}\p{N}]--[${apart}]][^\s${apart}]*`, 'gv');

/** How many words somebody would say a text has. */
export const countWords = (text: string): number => text.match(word)?.length ?? 0;
