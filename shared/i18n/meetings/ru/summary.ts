import type { MeetingTexts } from '../../texts.ts';

export const summary: MeetingTexts['summary'] = {
  title: 'Сводка',
  short: 'Сводка',
  own: 'Только для вас',
  ownText: 'Этих пунктов не видит никто другой.',
  empty: 'Сводки пока нет',
  emptyText: 'Запишите по пунктам, к чему сводится эта запись. Другие видят каждую букву.',
  emptyReading: 'Эту запись пока никто не свёл к главному.',
  add: 'Добавить пункт',
  addOwn: 'Добавить пункт для себя',
  point: 'Пункт {{number}}',
  move: 'Переместить: {{name}}',
  more: 'Действия: {{name}}',
  hint: 'Стрелки вверх и вниз перемещают пункт, когда выбран его маркер. Control и Enter начинает следующий.',
  moved: 'Теперь {{place}} из {{number}}.',
  reveal: 'Показать всем',
  revealed: 'Теперь это видят все.',
  revealOffline: 'Нет соединения: пункт пока остаётся личным.',
  delete: 'Удалить',
  deleted: 'Пункт удалён.',
  undo: 'Отменить',
};
