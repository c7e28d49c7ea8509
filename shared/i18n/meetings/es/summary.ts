import type { MeetingTexts } from '../../texts.ts';

export const summary: MeetingTexts['summary'] = {
  title: 'Resumen',
  short: 'Res.',
  own: 'Solo para ti',
  ownText: 'Nadie más ve estos puntos.',
  empty: 'Aún no hay resumen',
  emptyText: 'Escribe punto por punto a qué llega esta grabación. Los demás ven cada letra.',
  emptyReading: 'Nadie ha resumido aún esta grabación.',
  add: 'Añadir un punto',
  addOwn: 'Añadir un punto para ti',
  point: 'Punto {{number}}',
  move: 'Mover: {{name}}',
  more: 'Acciones: {{name}}',
  hint: 'Las flechas arriba y abajo mueven un punto desde su asa. Control e Intro empieza el siguiente.',
  moved: 'Ahora es el {{place}} de {{number}}.',
  reveal: 'Mostrar a todos',
  revealed: 'Ahora lo ven todos.',
  revealOffline: 'No hay conexión: el punto sigue siendo privado por ahora.',
  delete: 'Eliminar',
  deleted: 'Punto eliminado.',
  undo: 'Deshacer',
};
