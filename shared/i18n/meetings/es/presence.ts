import type { MeetingTexts } from '../../texts.ts';

export const presence: MeetingTexts['presence'] = {
  label: 'Personas aquí',
  typing: 'escribiendo',
  listening: 'escuchando',
  reading: 'leyendo',
  at: '{{name}}, en {{time}}, {{what}}',
  where: '{{name}}, {{what}}',
  taking: {
    comments: '{{name}} (puede comentar)',
    reads: '{{name}} (solo puede leer)',
  },
  follow: 'Seguir a {{who}}',
  more_one: '{{count}} persona más',
  more_many: '{{count}} de personas más',
  more_other: '{{count}} personas más',
  following: 'Siguiendo a {{name}} - Esc',
  sound: 'El sonido también sigue',
  stop: 'Dejar de seguir',
  left: '{{name}} se ha ido.',
};
