import type { MeetingTexts } from '../../texts.ts';

export const explaining: MeetingTexts['explaining'] = {
  open: 'Explicar esta calificación',
  openOf: 'Explicar esta calificación: {{name}}',
  title: 'Calificación explicada: {{name}}',
  about:
    'Un modelo de lenguaje dice qué calificación daría, con palabras de la transcripción, y por qué no la siguiente. Solo tú lo ves, y no cambia nada en la evaluación.',
  sent: 'Se envían la transcripción, los nombres de los hablantes, los capítulos, y la descripción y las calificaciones de esta competencia. Las palabras entre llaves se omiten.',
  price: 'Una explicación cuesta {{price}} si hay palabras de la transcripción que muestren una calificación.',
  again: 'Explicar de nuevo',
  stop: 'Detener la explicación',
  gives: 'El modelo daría',
  next: 'Por qué no la calificación siguiente ({{grade}})',
  differs: 'La evaluación tiene otra calificación, que se conserva:',
  by: '{{model}}, {{date}}',
  none: 'No se ha encontrado ninguna evidencia. Sin palabras de la transcripción no hay calificación.',
  gone: 'Las palabras que mostraban la calificación ya no están en la transcripción.',
  loading: 'Cargando la explicación…',
  notLoaded: 'No se pudo cargar la explicación. Comprueba tu conexión e inténtalo de nuevo.',
  noRight: 'Ahora no puedes ver lo que dice un modelo de esta evaluación.',
};
