import type { MeetingTexts } from '../../texts.ts';

export const notes: MeetingTexts['notes'] = {
  title: 'Mis notas',
  private: 'Solo usted puede leer estas notas. Se guardan mientras escribe.',
  field: 'Sus notas sobre esta grabación',
  placeholder: 'Apunte lo que quiera recordar…',
  closed: 'En este momento sus notas no se pueden cambiar.',
  tools: 'Formato',
  bold: 'Negrita',
  italic: 'Cursiva',
  heading: 'Título',
  bullets: 'Lista con viñetas',
  numbers: 'Lista numerada',
  tasks: 'Lista de tareas',
  quote: 'Cita',
};
