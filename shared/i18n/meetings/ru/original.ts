import type { MeetingTexts } from '../../texts.ts';

export const original: MeetingTexts['original'] = {
  title: 'Исходная расшифровка',
  how: 'Изменённое из записанного машиной зачёркнуто; то, что стоит там теперь, подчёркнуто.',
  changedOnly: 'Только изменённое',
  unchanged: 'С тех пор ничего не изменилось.',
  none: 'Этот текст записала не машина.',
  gone: 'Было:',
  new: 'Стало:',
  loading: 'Загружается первая версия…',
};
