export const presence = {
  label: 'People here',
  typing: 'typing',
  listening: 'listening',
  reading: 'reading',
  at: '{{name}}, at {{time}}, {{what}}',
  where: '{{name}}, {{what}}',
  taking: {
    comments: '{{name}} (may comment)',
    reads: '{{name}} (may only read)',
  },
  follow: 'Follow {{who}}',
  more_one: '{{count}} more person',
  more_other: '{{count}} more people',
  following: 'Following {{name}} - Esc',
  sound: 'Sound follows too',
  stop: 'Stop following',
  left: '{{name}} has left.',
} as const;
