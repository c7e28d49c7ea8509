export const original = {
  title: 'Original transcript',
  how: 'What the machine wrote is struck through where it was changed; what stands there now is underlined.',
  changedOnly: 'Only what was changed',
  unchanged: 'Nothing has been changed since.',
  none: 'No machine wrote this text.',
  gone: 'Was:',
  new: 'Now:',
  loading: 'Loading the first version…',
} as const;
