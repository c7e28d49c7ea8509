/** What separates a sentence from the next: after a Chinese full stop, as after nothing, there is no space. */
export const spaceAfter = (sentence: string): '' | ' ' => (/(^|[。！？])$/u.test(sentence) ? '' : ' ');

/** Sentences in a row, as each language writes them. */
export const joinSentences = (...sentences: readonly string[]): string =>
  sentences.filter((sentence) => sentence !== '').reduce((before, next) => `${before}${spaceAfter(before)}${next}`, '');
