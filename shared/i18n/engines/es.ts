import type { EnginesTexts } from '../texts.ts';

export const enginesEs: EnginesTexts = {
  engines: {
    label: 'Reconocimiento de voz',
    lead: 'Las grabaciones se transcriben en este equipo y nunca salen de él.',
    later: 'Puedes añadir grabaciones ahora y transcribirlas más tarde.',
    get: 'Obtener reconocimiento de voz (descarga de {{size}})',
    getOne: 'Descargar',
    getNamed: 'Descargar {{name}}',
    pause: 'Pausar',
    pauseNamed: 'Pausar {{name}}',
    resume: 'Continuar',
    resumeNamed: 'Continuar {{name}}',
    again: 'Reintentar',
    againNamed: 'Reintentar la descarga de {{name}}',
    others: 'Modelos de voz',
    waiting: '{{name}} está en espera de descarga',
    fetching: 'Descargando {{name}}',
    unpacking: 'Descomprimiendo {{name}}. Tardará unos minutos.',
    stopped: '{{name}} está en pausa. Se conserva lo ya descargado.',
    whole: '{{name}} está instalado',
    amount: '{{received}} de {{size}}',
    noRoom: '{{name}} necesita {{room}} libres en el disco. Hay {{free}} libres.',
    licence: 'Licencia: {{licence}}',
    title: { voices: 'Reconocimiento de hablantes' },
    about: {
      'whisper-small': 'Todos los idiomas. Bueno para la mayoría de las grabaciones.',
      'whisper-turbo': 'Todos los idiomas. El más preciso y el más lento.',
      'whisper-base': 'Todos los idiomas. Rápido, con más errores.',
      'parakeet-v3': '25 idiomas europeos, con el tiempo de cada palabra.',
      voices: 'Distingue a los hablantes, con cualquiera de los modelos anteriores.',
    },
    missing: {
      runtime: 'Este equipo no puede ejecutar estos modelos: el paquete sherpa-onnx-node no está instalado.',
      ffmpeg: 'La transcripción también necesita ffmpeg, que no está instalado en este equipo.',
    },
    failure: {
      disk: 'El disco está lleno. Libera espacio e inténtalo de nuevo.',
      folder: 'No se puede escribir en la carpeta de modelos de este equipo. Revisa sus permisos e inténtalo de nuevo.',
      unreachable:
        'La descarga se interrumpió. Comprueba tu conexión e inténtalo de nuevo. Se conserva lo ya descargado.',
      gone: 'Este modelo ya no se puede descargar.',
      damaged: 'La descarga llegó dañada y se ha eliminado. Inténtalo de nuevo.',
      unexpected: 'La descarga falló. Inténtalo de nuevo.',
      too_long: 'La descarga tardó demasiado. Inténtalo de nuevo. Se conserva lo ya descargado.',
    },
  },
};
