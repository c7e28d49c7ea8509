interface Marks {
  /** Between the names of a list. */
  list: string;
  /** Between parts of a sentence; `clause` the weightier ones. */
  comma: string;
  clause: string;
  /** Around a remark behind a name. */
  remark: readonly [string, string];
}

/** Marks between texts that are put together; Chinese ones are as wide as its characters. */
export const marksOf = (language: string): Marks =>
  language === 'zh'
    ? { list: '、', comma: '，', clause: '；', remark: ['（', '）'] }
    : { list: ', ', comma: ', ', clause: '; ', remark: [' (', ')'] };
