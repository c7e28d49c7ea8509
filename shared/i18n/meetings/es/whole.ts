import type { MeetingTexts } from '../../texts.ts';

export const whole: MeetingTexts['whole'] = {
  replace: 'Reemplazar transcripción…',
  title: 'Reemplazar la transcripción',
  what: 'Un archivo reemplaza la transcripción para todos los que pueden abrir la grabación.',
  stays:
    'Los capítulos, los marcadores, las etiquetas y el resumen se quedan. Los resultados, comentarios y resaltados se quedan donde se encuentran las mismas palabras.',
  kept: 'La transcripción actual queda en el historial de versiones y se puede restaurar.',
  corrections: 'Las correcciones y los hablantes de la transcripción actual no se conservan.',
  pending: 'Tus últimos cambios aún no están guardados. Espera a que lo estén.',
  offline: 'Estás sin conexión. Conéctate para reemplazar la transcripción.',
  action: 'Reemplazar',
  noted: 'Transcripción reemplazada. Ten en cuenta:',
  notedBack: 'Puedes restaurar la transcripción anterior desde el historial de versiones.',
  history: 'Abrir historial de versiones',
  looksLike: 'Este archivo parece de {{format}}.',
  deleted: '«{{title}}» eliminada',
  deletedText: 'Volviendo a la biblioteca.',
};
