import type { TourTexts } from '../texts.ts';

/** Texts of the tours, loaded when one begins. */
export const toursEs: TourTexts = {
  tours: {
    leave: 'Salir de la visita',
    never: 'No mostrar más visitas',
    back: 'Atrás',
    next: 'Siguiente',
    done: 'Listo',
    steps: {
      add: {
        title: 'Añade una grabación',
        text: 'Graba en el navegador o añade un archivo de audio o vídeo, o una transcripción ya hecha.',
      },
      first: {
        title: 'O prueba el ejemplo',
        text: 'La grabación de ejemplo trae una transcripción de tres minutos que puedes cambiar a tu gusto.',
      },
      row: {
        title: 'Ábrela',
        text: 'La grabación se abre con su transcripción. Los tres puntos sirven para compartirla, moverla o exportarla.',
      },
      search: {
        title: 'Encuéntrala después',
        text: 'Escribe unas letras. La tecla / te trae aquí desde cualquier lugar de esta página.',
      },
      places: {
        title: 'Lo que comparten contigo',
        text: 'Aquí está lo que otras personas te han compartido. Lo que eliminas se puede restaurar durante un tiempo.',
      },
      account: {
        title: 'Tu cuenta',
        text: 'En este menú están el perfil, el saldo, los equipos, la ayuda y la visita de cada página.',
      },
      filters: {
        title: 'Acota la lista',
        text: 'Muestra grabaciones por hablante, etiqueta, idioma o resultado. Una búsqueda que usas a menudo se puede guardar.',
      },
      many: {
        title: 'Varias a la vez',
        text: 'Marca grabaciones para moverlas, compararlas o eliminarlas juntas.',
      },
      text: {
        title: 'Corrige el texto',
        text: 'Escribe en la transcripción. Todos los que están aquí lo ven al momento y se guarda mientras escribes.',
      },
      player: {
        title: 'Escucha',
        text: 'Reproduce, baja la velocidad o vuelve a oír un momento desde la onda. Cada palabra conoce su tiempo.',
      },
      panes: {
        title: 'Marca y comenta',
        text: 'Aquí se abren los resultados, los comentarios, tus notas y el resumen.',
      },
      share: {
        title: 'Comparte la grabación',
        text: 'Invita a otras personas a leer, comentar o editar, o dales un enlace.',
      },
    },
  },
};
