import type { MeetingTexts } from '../../texts.ts';

export const notes: MeetingTexts['notes'] = {
  title: 'Мои заметки',
  private: 'Эти заметки видите только вы. Они сохраняются по мере ввода.',
  field: 'Ваши заметки к этой записи',
  placeholder: 'Запишите то, что хотите запомнить…',
  closed: 'Сейчас ваши заметки нельзя изменить.',
  tools: 'Форматирование',
  bold: 'Полужирный',
  italic: 'Курсив',
  heading: 'Заголовок',
  bullets: 'Маркированный список',
  numbers: 'Нумерованный список',
  tasks: 'Список задач',
  quote: 'Цитата',
};
