import type { MeetingTexts } from '../../texts.ts';

export const contents: MeetingTexts['contents'] = {
  lists: {
    toc: {
      title: 'Índice',
      empty: 'Aún no hay capítulos',
      emptyText: 'Dé nombre a las partes de la grabación para que todos las encuentren.',
      new: 'Nuevo capítulo',
      hint: 'Empieza cinco segundos antes del punto donde está en la grabación.',
    },
    bookmarks: {
      title: 'Marcadores',
      empty: 'Aún no hay marcadores',
      emptyText: 'Pulse Alt+B donde quiera volver más tarde.',
      new: 'Nuevo marcador',
      hint: 'Queda en el punto donde está en la grabación.',
    },
  },
  emptyReading: 'Nadie ha añadido ninguno.',
  add: 'Añadir aquí',
  name: 'Nombre',
  save: 'Guardar',
  rename: 'Cambiar el nombre de {{name}}',
  remove: 'Quitar {{name}}',
  removed: 'Se ha quitado {{name}}.',
  gone: 'Alguien lo quitó entretanto. Puede añadirlo otra vez con este nombre.',
  addAgain: 'Añadirlo otra vez',
  undo: 'Deshacer',
  unnamed: 'Sin nombre',
  bookmarked: 'Marcador puesto en {{time}}.',
};
