import type { MeetingTexts } from '../../texts.ts';

export const drafts: MeetingTexts['drafts'] = {
  title: {
    summary: 'Propuesta de resumen',
    chapters: 'Propuesta de capítulos',
  },
  about: {
    summary:
      'Un modelo de lenguaje redacta puntos con palabras de la transcripción. Solo tú los ves. Lo que aceptas pasa a ser un punto tuyo, que puedes publicar.',
    chapters:
      'Un modelo de lenguaje propone capítulos con palabras de la transcripción. Solo tú los ves. Lo que aceptas es un capítulo para todos.',
  },
  make: {
    summary: 'Redactar un resumen',
    chapters: 'Proponer capítulos',
  },
  again: 'Redactar de nuevo',
  price: 'Una propuesta cuesta {{price}} si algo de ella está en la transcripción.',
  stop: 'Detener la propuesta',
  accept: 'Aceptar',
  edit: 'Editar',
  reject: 'Rechazar',
  save: 'Guardar',
  text: 'Texto',
  card: 'Propuesta: {{text}}',
  list: 'Propuesta, para aceptar o rechazar',
  full: 'No caben más puntos.',
  accepted: {
    summary: 'Añadido a tus puntos.',
    chapters: 'Capítulo añadido.',
  },
  edited: {
    summary: 'Has editado o publicado este punto desde entonces. Se conserva.',
    chapters: 'Este capítulo se ha cambiado desde entonces. Se conserva.',
  },
  rejected: 'Rechazado. No se vuelve a redactar.',
  notDecided: 'No se ha guardado. Comprueba tu conexión y decide de nuevo.',
  notLoaded: 'No se pudo cargar la propuesta. Comprueba tu conexión e inténtalo de nuevo.',
  none: 'No hay nada nuevo.',
  plays: 'Palabras que lo prueban',
  found_one: '{{count}} propuesta nueva.',
  found_many: '{{count}} propuestas nuevas.',
  found_other: '{{count}} propuestas nuevas.',
};
