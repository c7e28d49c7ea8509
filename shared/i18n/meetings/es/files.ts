import type { MeetingTexts } from '../../texts.ts';

export const files: MeetingTexts['files'] = {
  title: 'Archivos',
  add: 'Añadir archivos',
  empty: 'Aún no hay archivos',
  emptyText: 'Añade diapositivas, apuntes o imágenes de esta grabación. Suéltalos aquí o elígelos.',
  emptyTouch: 'Añade diapositivas, apuntes o imágenes de esta grabación.',
  emptyReading: 'Aquí aparecen los archivos de esta grabación.',
  onComments: 'En comentarios',
  accepted: 'Hasta 25 MB cada uno: {{list}}',
  somebody: 'Cuenta eliminada',
  delete: 'Eliminar {{name}}',
  deleted: '«{{name}}» se ha eliminado.',
  undo: 'Deshacer',
  notDeleted: 'No se pudo eliminar «{{name}}». Inténtalo de nuevo.',
  notRestored: 'No se pudo restaurar «{{name}}». Inténtalo de nuevo.',
  uploads: 'Subidas',
  uploading: 'Subiendo {{name}}',
  cancel: 'Cancelar {{name}}',
  dismiss: 'Quitar {{name}} de la lista',
  again: 'Reintentar {{name}}',
  failure: {
    file_type:
      'Este tipo de archivo no se admite. Usa una imagen, un PDF, un documento de Office sin macros o texto sin formato.',
    file_large: 'Ocupa más de 25 MB.',
    file_empty: 'Este archivo está vacío.',
    limit: 'Hay demasiados archivos. Elimina alguno primero.',
    rate: 'Demasiadas subidas a la vez. Inténtalo de nuevo en unos minutos.',
    network: 'No se pudo subir. Comprueba tu conexión e inténtalo de nuevo.',
    refused: 'No se pudo subir. Inténtalo de nuevo.',
  },
};
