import type { MeetingTexts } from '../../texts.ts';

export const voice: MeetingTexts['voice'] = {
  begin: 'Grabar una nota de voz',
  record: 'Grabar su voz',
  asking: 'Permita el micrófono en su navegador para seguir.',
  recording: 'Grabando',
  level: 'Nivel',
  stop: 'Detener',
  discard: 'Descartar la grabación',
  own: 'Su grabación',
  of: 'La voz de {{name}}',
  somebody: 'Una voz',
  play: 'Reproducir: {{what}}',
  pause: 'Pausar: {{what}}',
  place: 'Lugar en: {{what}}',
  add: 'Añadir',
  onlyMe: 'Solo para mí',
  cannotPlay: 'Esto no se puede reproducir aquí.',
  again: 'Intentar de nuevo',
  failed: {
    refused:
      'El micrófono está bloqueado para esta página. Permítalo en los ajustes de su navegador e inténtelo de nuevo.',
    missing: 'No se encontró ningún micrófono.',
    busy: 'No se pudo abrir el micrófono. Quizá lo use otro programa.',
    unsupported: 'Este navegador no puede grabar aquí.',
    silent: 'No se grabó nada.',
  },
  notAdded: {
    outcome: 'No se pudo añadir la nota de voz',
    comment: 'No se pudo añadir el comentario de voz',
  },
  uploading: 'Error al subir el adjunto',
  kept: 'La grabación se conserva aquí y se envía de nuevo.',
  now: 'Intentar ahora',
  lost: 'La grabación sigue aquí. Escúchela, inténtelo de nuevo o descártela.',
  show: 'Mostrar',
};
