import type { MeetingTexts } from '../../texts.ts';

export const original: MeetingTexts['original'] = {
  title: 'Transcripción original',
  how: 'Lo que escribió la máquina aparece tachado donde se cambió; lo que hay ahora, subrayado.',
  changedOnly: 'Solo lo que se cambió',
  unchanged: 'Desde entonces no se ha cambiado nada.',
  none: 'Este texto no lo escribió ninguna máquina.',
  gone: 'Antes:',
  new: 'Ahora:',
  loading: 'Cargando la primera versión…',
};
