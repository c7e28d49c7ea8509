import type { MeetingTexts } from '../../texts.ts';

export const notes: MeetingTexts['notes'] = {
  title: 'Mis notas',
  private: 'Solo tú puedes leer estas notas. Se guardan mientras escribes.',
  field: 'Tus notas sobre esta grabación',
  placeholder: 'Apunta lo que quieras recordar…',
  closed: 'Tus notas no se pueden editar ahora.',
  tools: 'Formato',
  bold: 'Negrita',
  italic: 'Cursiva',
  heading: 'Título',
  bullets: 'Lista con viñetas',
  numbers: 'Lista numerada',
  tasks: 'Lista de tareas',
  quote: 'Cita',
};
