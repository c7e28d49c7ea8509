export const presence = {
  label: 'People here',
  typing: 'typing',
  listening: 'listening',
  reading: 'reading',
  at: '{{name}}, at {{time}}, {{what}}',
  where: '{{name}}, {{what}}',
  taking: {
    comments: '{{name}} (can comment)',
    reads: '{{name}} (can only read)',
  },
  follow: 'Follow {{who}}',
  more_one: '{{count}} more person',
  more_other: '{{count}} more people',
  following: 'Following {{name}} - Esc',
  sound: 'Sound follows too',
  stop: 'Stop following',
  left: '{{name}} left.',
} as const;
