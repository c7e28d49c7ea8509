import type { MeetingTexts } from '../../texts.ts';

export const items: MeetingTexts['items'] = {
  goTo: 'Перейти к {{time}}: {{quote}}',
  private: 'Это видите только вы',
  waiting: 'Отправляется на сервер',
  somebody: 'Кто-то',
  undo: 'Отменить',
  selectFirst: 'Сначала выделите слова или поставьте курсор в предложение.',
  lostQuote: 'Текст здесь изменили. Сейчас те же слова стоят там.',
  lostTime: 'Этих слов в тексте больше нет. Вот их время.',
  lostTitle_one: '{{count}}, чьи слова изменены',
  lostTitle_few: '{{count}}, чьи слова изменены',
  lostTitle_many: '{{count}}, чьи слова изменены',
  lostTitle_other: '{{count}}, чьи слова изменены',
  editor: {
    tools: 'Оформление слов',
    bold: 'Полужирный',
    italic: 'Курсив',
    bulleted: 'Список',
    numbered: 'Нумерованный список',
    link: 'Ссылка',
    address: 'Адрес ссылки',
    wrongAddress: 'Начните с https:// или введите адрес почты.',
    setLink: 'Поставить',
  },
  refused: {
    comment: {
      add: 'Ваш комментарий не принят.',
      change: 'Изменение комментария не принято.',
      delete: 'Комментарий не удалён.',
      reveal: 'Комментарий остаётся личным.',
    },
    outcome: {
      add: 'Ваш итог не принят.',
      change: 'Изменение итога не принято.',
      delete: 'Итог не удалён.',
      reveal: 'Итог остаётся личным.',
    },
    why: {
      forbidden: 'Здесь вам это больше не разрешено.',
      gone: 'Его больше нет.',
      invalid: 'Сервер не смог принять его в таком виде.',
      other: 'Сервер отказал.',
    },
    copy: 'Скопировать слова',
  },
};
