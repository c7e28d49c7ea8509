import type { MeetingTexts } from '../../texts.ts';

export const items: MeetingTexts['items'] = {
  goTo: 'Ir a {{time}}: {{quote}}',
  private: 'Solo usted lo ve',
  waiting: 'En camino al servidor',
  somebody: 'Alguien',
  undo: 'Deshacer',
  selectFirst: 'Seleccione antes unas palabras o ponga el cursor en una frase.',
  lostQuote: 'El texto cambió aquí. Ahora las mismas palabras están allí.',
  lostTime: 'Estas palabras ya no están en el texto. Este era su momento.',
  lostTitle_one: '{{count}} cuyas palabras cambiaron',
  lostTitle_many: '{{count}} cuyas palabras cambiaron',
  lostTitle_other: '{{count}} cuyas palabras cambiaron',
  selection: 'Decir algo de las palabras',
  say: { outcome: 'Resultado', comment: 'Comentario' },
  editor: {
    tools: 'Forma de las palabras',
    bold: 'Negrita',
    italic: 'Cursiva',
    bulleted: 'Lista',
    numbered: 'Lista numerada',
    link: 'Enlace',
    address: 'Dirección del enlace',
    wrongAddress: 'Empiece con https:// o escriba una dirección de correo.',
    setLink: 'Poner',
  },
  refused: {
    comment: {
      add: 'Su comentario no se aceptó.',
      change: 'El cambio de un comentario no se aceptó.',
      delete: 'Un comentario no se eliminó.',
      reveal: 'El comentario sigue siendo privado.',
    },
    outcome: {
      add: 'Su resultado no se aceptó.',
      change: 'El cambio de un resultado no se aceptó.',
      delete: 'Un resultado no se eliminó.',
      reveal: 'El resultado sigue siendo privado.',
    },
    why: {
      forbidden: 'Ya no tiene permiso para hacerlo aquí.',
      gone: 'Ya no existe.',
      invalid: 'El servidor no pudo usarlo tal como estaba.',
      other: 'El servidor lo rechazó.',
    },
    copy: 'Copiar las palabras',
  },
};
