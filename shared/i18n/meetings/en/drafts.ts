export const drafts = {
  title: {
    summary: 'Draft of a summary',
    chapters: 'Draft of chapters',
  },
  about: {
    summary:
      'A language model drafts points with words from the transcript. Only you see them. What you accept becomes a point of your own, which you can publish.',
    chapters:
      'A language model proposes chapters with words from the transcript. Only you see them. What you accept is a chapter for everyone.',
  },
  make: {
    summary: 'Draft a summary',
    chapters: 'Propose chapters',
  },
  again: 'Draft again',
  price: 'A draft costs {{price}} if something of it stands in the transcript.',
  stop: 'Stop the draft',
  accept: 'Accept',
  edit: 'Edit',
  reject: 'Reject',
  save: 'Save',
  text: 'Text',
  card: 'Draft: {{text}}',
  list: 'Draft, to accept or reject',
  full: 'There is no room for more points.',
  accepted: {
    summary: 'Added to your points.',
    chapters: 'Chapter added.',
  },
  edited: {
    summary: 'You have edited or published this point since. It stays.',
    chapters: 'This chapter was changed since. It stays.',
  },
  rejected: 'Rejected. It is not drafted again.',
  notDecided: 'Not saved. Check your connection and decide again.',
  notLoaded: "Couldn't load the draft. Check your connection and try again.",
  none: 'Nothing new found.',
  plays: 'Words that prove it',
  found_one: '{{count}} new entry.',
  found_other: '{{count}} new entries.',
} as const;
