import type { MeetingTexts } from '../../texts.ts';

export const original: MeetingTexts['original'] = {
  title: 'Transcripción original',
  how: 'Las palabras eliminadas aparecen tachadas y las nuevas, subrayadas.',
  changedOnly: 'Solo cambios',
  unchanged: 'Aún no hay cambios.',
  none: 'Esta transcripción no se hizo con reconocimiento de voz.',
  gone: 'Antes:',
  new: 'Ahora:',
  loading: 'Cargando la transcripción original…',
};
