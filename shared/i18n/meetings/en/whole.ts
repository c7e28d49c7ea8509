export const whole = {
  replace: 'Replace transcript…',
  title: 'Replace the transcript',
  what: 'A file replaces the transcript for everyone who can open the recording.',
  stays:
    'Chapters, bookmarks, tags and the summary stay. Outcomes, comments and highlights stay where the same words are found.',
  kept: 'The current transcript stays in the version history, and you can restore it.',
  corrections: 'Corrections and speakers of the current transcript are not kept.',
  pending: 'Your last changes are not saved yet. Wait until they are.',
  offline: 'You are offline. Connect to replace the transcript.',
  action: 'Replace',
  noted: 'Transcript replaced. Please note:',
  notedBack: 'You can restore the earlier transcript from the version history.',
  history: 'Open version history',
  looksLike: 'This file looks like {{format}}.',
  deleted: '“{{title}}” deleted',
  deletedText: 'Returning to the library.',
} as const;
