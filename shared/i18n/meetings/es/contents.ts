import type { MeetingTexts } from '../../texts.ts';

export const contents: MeetingTexts['contents'] = {
  lists: {
    toc: {
      title: 'Índice',
      empty: 'Aún no hay capítulos',
      emptyText: 'Añade capítulos para que todos encuentren las partes de la grabación.',
      new: 'Nuevo capítulo',
      hint: 'Empieza cinco segundos antes de tu posición actual.',
    },
    bookmarks: {
      title: 'Marcadores',
      empty: 'Aún no hay marcadores',
      emptyText: 'Pulsa Alt+B para poner un marcador en tu posición actual.',
      emptyTouch: 'Añade uno en tu posición actual.',
      new: 'Nuevo marcador',
      hint: 'Se pone en tu posición actual.',
    },
  },
  emptyReading: 'Nadie ha añadido ninguno.',
  add: 'Añadir aquí',
  name: 'Nombre',
  save: 'Guardar',
  rename: 'Cambiar el nombre de {{name}}',
  remove: 'Quitar {{name}}',
  removed: 'Se ha quitado {{name}}',
  gone: 'Alguien lo quitó. Puedes añadirlo otra vez con este nombre.',
  addAgain: 'Añadirlo otra vez',
  undo: 'Deshacer',
  unnamed: 'Sin título',
  bookmarked: 'Marcador añadido en {{time}}',
};
