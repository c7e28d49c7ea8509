import type { MeetingTexts } from '../../texts.ts';

export const whole: MeetingTexts['whole'] = {
  replace: 'Sustituir la transcripción…',
  title: 'Sustituir la transcripción',
  what: 'Otro archivo ocupa el lugar de este texto para todos los que pueden abrir la grabación.',
  stays:
    'El índice, los marcadores, los resaltados, las etiquetas y el resumen se quedan. Los resultados, comentarios y resaltados quedan donde se vuelven a encontrar las mismas palabras.',
  kept: 'El texto tal como está ahora sigue en el historial y se puede recuperar desde allí.',
  corrections: 'Las correcciones y los hablantes de este texto no se trasladan.',
  pending: 'Tus últimos cambios aún no están guardados. Se podrá sustituir cuando lo estén.',
  offline: 'Sin conexión no se puede sustituir.',
  action: 'Sustituir',
  done: 'La transcripción se ha sustituido. La anterior está en el historial.',
  noted: 'El texto se ha sustituido. Conviene que sepas:',
  notedBack: 'El texto anterior se puede recuperar del historial.',
  history: 'Abrir el historial',
  looksLike: 'Este archivo parece de {{format}}.',
  deleted: '«{{title}}» se ha eliminado',
  deletedText: 'Vuelves a la biblioteca.',
};
