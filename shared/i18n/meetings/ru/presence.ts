import type { MeetingTexts } from '../../texts.ts';

export const presence: MeetingTexts['presence'] = {
  label: 'Кто здесь',
  typing: 'печатает',
  listening: 'слушает',
  reading: 'читает',
  at: '{{name}}, {{time}}, {{what}}',
  where: '{{name}}, {{what}}',
  taking: {
    comments: '{{name}} (может комментировать)',
    reads: '{{name}} (может только читать)',
  },
  follow: 'Следовать: {{who}}',
  more_one: 'Ещё {{count}} человек',
  more_few: 'Ещё {{count}} человека',
  more_many: 'Ещё {{count}} человек',
  more_other: 'Ещё {{count}} человека',
  following: 'Вы следуете за: {{name}} - Esc',
  sound: 'Звук тоже следует',
  stop: 'Больше не следовать',
  left: '{{name}} здесь больше нет.',
};
