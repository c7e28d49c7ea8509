export const original = {
  title: 'Original transcript',
  how: 'Deleted words are struck through, new words are underlined.',
  changedOnly: 'Only changes',
  unchanged: 'No changes yet.',
  none: 'This transcript was not made by speech recognition.',
  gone: 'Was:',
  new: 'Now:',
  loading: 'Loading the original transcript…',
} as const;
