export const whole = {
  replace: 'Replace transcript…',
  title: 'Replace the transcript',
  what: 'Another file replaces this text for everyone who can open the recording.',
  stays:
    'Chapters, bookmarks, highlights, tags and the summary stay. Outcomes, comments and highlights stand where the same words are found again.',
  kept: 'The text as it is now stays in the history, and you can restore it from there.',
  corrections: 'Corrections and speakers of this text are not carried over.',
  pending: 'Your last changes are not stored yet. It can be replaced when they are.',
  offline: 'Without a connection it cannot be replaced.',
  action: 'Replace',
  done: 'The transcript was replaced. The old one is in the history.',
  noted: 'The text was replaced. You should know:',
  notedBack: 'You can restore the earlier text from the history.',
  history: 'Open the history',
  looksLike: 'This file looks like {{format}}.',
  deleted: '“{{title}}” is deleted',
  deletedText: 'You are taken back to the library.',
} as const;
