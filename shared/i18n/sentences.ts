/** Space between a sentence and the next one; none after a Chinese full stop, or where no sentence came before. */
export const spaceAfter = (sentence: string): '' | ' ' => (/(^|[。！？])$/u.test(sentence) ? '' : ' ');

/** Sentences in a row, as each language writes them. */
export const joinSentences = (...sentences: readonly string[]): string =>
  sentences.filter((sentence) => sentence !== '').reduce((before, next) => `${before}${spaceAfter(before)}${next}`, '');
