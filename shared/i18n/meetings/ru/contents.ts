import type { MeetingTexts } from '../../texts.ts';

export const contents: MeetingTexts['contents'] = {
  lists: {
    toc: {
      title: 'Содержание',
      short: 'Главы',
      empty: 'Глав пока нет',
      emptyText: 'Назовите части записи, чтобы их находили все.',
      new: 'Новая глава',
      hint: 'Она начнётся за пять секунд до места, где вы находитесь в записи.',
    },
    bookmarks: {
      title: 'Закладки',
      short: 'Закладки',
      empty: 'Закладок пока нет',
      emptyText: 'Нажмите Alt+B там, куда хотите вернуться.',
      new: 'Новая закладка',
      hint: 'Она встанет там, где вы находитесь в записи.',
    },
  },
  emptyReading: 'Пока никто ничего не добавил.',
  add: 'Добавить здесь',
  name: 'Название',
  save: 'Сохранить',
  rename: 'Переименовать: {{name}}',
  remove: 'Удалить: {{name}}',
  removed: 'Удалено: {{name}}.',
  undo: 'Отменить',
  unnamed: 'Без названия',
  bookmarked: 'Закладка поставлена: {{time}}.',
};
