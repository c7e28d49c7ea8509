/** Sentences in a row, as each language writes them: after a Chinese full stop there is no space. */
export const joinSentences = (...sentences: readonly string[]): string =>
  sentences
    .filter((sentence) => sentence !== '')
    .reduce((before, next) => `${before}${/(^|[。！？])$/u.test(before) ? '' : ' '}${next}`, '');
