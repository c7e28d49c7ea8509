import type { SupportTexts } from '../texts.ts';

export const supportEs: SupportTexts = {
  supportChat: {
    greeting: 'Pregunta cómo funciona algo. Respondo con la guía.',
    question: 'Tu pregunta',
    send: 'Enviar',
    log: 'Conversación',
    typing: 'Buscando en la guía…',
    unknown: 'No lo sé. La guía no lo dice. El equipo del producto puede ayudarte.',
    people: 'Contactar con el equipo del producto',
    solved: 'Me ha servido',
    ended: 'Esta conversación ha terminado.',
    again: 'Empezar una conversación nueva',
    mistakes: 'El soporte con IA puede equivocarse. Comprueba las páginas que indica.',
    local: 'Tus preguntas no salen de este servidor.',
    sent: 'Tus preguntas se envían a {{host}}.',
    away: 'No hay respuesta. Inténtalo de nuevo o contacta con el equipo del producto.',
    moved: 'Ahora las preguntas van a otro lugar, como ves abajo. Envíala de nuevo si estás de acuerdo.',
  },
};
