import type { MeetingTexts } from '../../texts.ts';

export const analytics: MeetingTexts['analytics'] = {
  counting: 'Contando…',
  empty: 'Todavía no hay nada que contar',
  emptyText: 'Cuando la transcripción tenga palabras con tiempos, verás aquí quién habló, cuánto y a qué ritmo.',
  summary: 'La grabación en cifras',
  length: 'Duración',
  speech: 'Habla',
  silence: 'Silencio',
  ofLength: '{{value}} ({{share}})',
  longestSilence: 'Ir al silencio más largo',
  questionsAll: 'Preguntas',
  speakers: 'Hablantes',
  bars: {
    share: {
      title: 'Parte de la conversación',
      leads: 'Haz clic en una barra para ir a donde ese hablante habla más tiempo.',
      leadsTouch: 'Toca una barra para ir a donde ese hablante habla más tiempo.',
    },
    turns: {
      title: 'Intervenciones',
      leads: 'Haz clic en una barra para ir a la siguiente intervención de ese hablante.',
      leadsTouch: 'Toca una barra para ir a la siguiente intervención de ese hablante.',
    },
    pace: {
      title: 'Ritmo',
      leads: 'Palabras por minuto. Haz clic en una barra para ir a donde ese hablante habla más deprisa.',
      leadsTouch: 'Palabras por minuto. Toca una barra para ir a donde ese hablante habla más deprisa.',
    },
    questions: {
      title: 'Preguntas',
      leads: 'Haz clic en una barra para ir a la siguiente pregunta de ese hablante.',
      leadsTouch: 'Toca una barra para ir a la siguiente pregunta de ese hablante.',
    },
  },
  go: {
    share: '{{name}}: {{value}}. Ir a donde más tiempo habla',
    turns: '{{name}}: {{value}}. Ir a su siguiente intervención',
    pace: '{{name}}: {{value}} palabras por minuto. Ir a donde habla más deprisa',
    questions: '{{name}}: {{value}}. Ir a su siguiente pregunta',
  },
  overTime: {
    title: 'A lo largo del tiempo',
    leads: 'Cada columna es una parte de la grabación: cuanto más alta, más se dijo. Haz clic para ir allí.',
    leadsTouch: 'Cada columna es una parte de la grabación: cuanto más alta, más se dijo. Toca para ir allí.',
    lane: '{{name}}, parte por parte',
    part: '{{name}}, de {{from}} a {{to}}: {{seconds}} s de habla',
  },
  outcomesOverTime: {
    title: 'Resultados a lo largo del tiempo',
    leads: 'Cada columna es una parte de la grabación: cuanto más alta, más resultados. Haz clic para ir al siguiente.',
    leadsTouch:
      'Cada columna es una parte de la grabación: cuanto más alta, más resultados. Toca para ir al siguiente.',
    lane: '{{name}}, parte por parte',
    part_one: '{{name}}, de {{from}} a {{to}}: {{count}} resultado',
    part_many: '{{name}}, de {{from}} a {{to}}: {{count}} resultados',
    part_other: '{{name}}, de {{from}} a {{to}}: {{count}} resultados',
  },
  table: {
    show: 'Mostrar como tabla',
    caption: 'Cifras de cada hablante',
    speaker: 'Hablante',
    talk: 'Tiempo',
    share: 'Parte',
    turns: 'Intervenciones',
    longest: 'Intervención más larga',
    words: 'Palabras',
    pace: 'Palabras por minuto',
    questions: 'Preguntas',
  },
};
