import type { MeetingTexts } from '../../texts.ts';

export const original: MeetingTexts['original'] = {
  title: 'Исходная расшифровка',
  how: 'Удалённые слова зачёркнуты, новые подчёркнуты.',
  changedOnly: 'Только изменения',
  unchanged: 'Изменений пока нет.',
  none: 'Эта расшифровка сделана не распознаванием речи.',
  gone: 'Было:',
  new: 'Стало:',
  loading: 'Загружается исходная расшифровка…',
};
