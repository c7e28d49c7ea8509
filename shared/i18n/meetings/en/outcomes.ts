export const outcomes = {
  count_one: '{{count}} outcome',
  count_other: '{{count}} outcomes',
} as const;
