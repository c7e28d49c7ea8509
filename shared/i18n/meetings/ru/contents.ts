import type { MeetingTexts } from '../../texts.ts';

export const contents: MeetingTexts['contents'] = {
  lists: {
    toc: {
      title: 'Содержание',
      empty: 'Глав пока нет',
      emptyText: 'Добавьте главы, чтобы все находили нужные части записи.',
      new: 'Новая глава',
      hint: 'Она начнётся за пять секунд до текущего места.',
    },
    bookmarks: {
      title: 'Закладки',
      empty: 'Закладок пока нет',
      emptyText: 'Нажмите Alt+B, чтобы поставить закладку на текущее место.',
      new: 'Новая закладка',
      hint: 'Она встанет на текущее место.',
    },
  },
  emptyReading: 'Пока никто ничего не добавил.',
  add: 'Добавить здесь',
  name: 'Название',
  save: 'Сохранить',
  rename: 'Переименовать: {{name}}',
  remove: 'Удалить: {{name}}',
  removed: 'Удалено: {{name}}',
  gone: 'Это удалили. Можно добавить снова под этим названием.',
  addAgain: 'Добавить снова',
  undo: 'Отменить',
  unnamed: 'Без названия',
  bookmarked: 'Закладка добавлена: {{time}}',
};
