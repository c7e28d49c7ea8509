import type { MeetingTexts } from '../../texts.ts';

export const find: MeetingTexts['find'] = {
  title: 'Buscar y reemplazar',
  short: 'Buscar',
  query: 'Buscar',
  replacement: 'Reemplazar con',
  caseSensitive: 'Distinguir mayúsculas',
  wholeWords: 'Palabras completas',
  none: 'No se encontró nada',
  place_one: '{{place}} de {{count}}',
  place_many: '{{place}} de {{count}}',
  place_other: '{{place}} de {{count}}',
  previous: 'Coincidencia anterior',
  next: 'Coincidencia siguiente',
  replace: 'Reemplazar',
  replaceAll: 'Reemplazar todo',
  replaced_one: '{{count}} lugar reemplazado',
  replaced_many: '{{count}} lugares reemplazados',
  replaced_other: '{{count}} lugares reemplazados',
  undo: 'Deshacer',
  same: 'Ambos textos son iguales: no se reemplazó nada.',
  changed:
    'La transcripción se ha modificado hace poco. Revisa los nuevos resultados de la búsqueda y confirma el reemplazo.',
};
