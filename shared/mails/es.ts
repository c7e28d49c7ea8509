import type { MailTexts } from './texts.ts';

export const es: MailTexts = {
  greeting: 'Hola, {{name}}:',
  greetingNameless: 'Hola:',
  valid: 'El enlace funciona durante {{time}} y una sola vez.',
  confirm: {
    subject: 'Confirma tu dirección de correo',
    why: 'Recibes este correo porque se ha creado una cuenta en Colloquy con esta dirección. Confirma que la dirección es tuya.',
    action: 'Confirmar dirección',
    otherwise: 'Si no has sido tú, ignora este correo. Sin confirmación, la cuenta se elimina al cabo de {{time}}.',
  },
  alreadyRegistered: {
    subject: 'Ya tienes una cuenta',
    why: 'Recibes este correo porque alguien, probablemente tú, ha intentado crear una cuenta en Colloquy con esta dirección. Ya tienes una, así que puedes iniciar sesión.',
    action: 'Iniciar sesión',
    forgot: 'Si has olvidado la contraseña, elige una nueva:',
    otherwise: 'Si no has sido tú, no tienes que hacer nada. Tu cuenta no ha cambiado.',
  },
  reset: {
    subject: 'Elige una contraseña nueva',
    why: 'Recibes este correo porque en Colloquy se ha pedido una contraseña nueva para la cuenta con esta dirección.',
    action: 'Elegir una contraseña nueva',
    otherwise: 'Si no has sido tú, ignora este correo. Tu contraseña no cambia.',
  },
  changeEmail: {
    subject: 'Confirma tu nueva dirección de correo',
    why: 'Recibes este correo porque esta dirección se ha indicado como la nueva de una cuenta en Colloquy. Para hacer el cambio, abre el enlace e introduce la contraseña de la cuenta.',
    action: 'Cambiar a esta dirección',
    otherwise: 'Si no has sido tú, ignora este correo. No cambia nada.',
  },
  emailChanged: {
    subject: 'Tu dirección de correo ha cambiado',
    why: 'Recibes este correo porque la dirección de tu cuenta en Colloquy ha cambiado a {{address}}. A partir de ahora inicia sesión con ella.',
    action: 'Deshacer el cambio',
    otherwise:
      'Si has sido tú, no tienes que hacer nada. Si no, deshaz el cambio y elige después una contraseña nueva:',
  },
  passwordChanged: {
    subject: 'Tu contraseña ha cambiado',
    why: 'Recibes este correo porque la contraseña de tu cuenta en Colloquy ha cambiado.',
    action: 'Elegir una contraseña nueva',
    otherwise: 'Si has sido tú, no tienes que hacer nada. Si no, elige enseguida una contraseña nueva:',
  },
  accountDeleted: {
    subject: 'Tu cuenta se ha eliminado',
    why: 'Recibes este correo porque tu cuenta en Colloquy se ha eliminado. No se puede restaurar.',
    action: 'Abrir Colloquy',
    otherwise: 'Si no has sido tú, avisa, por favor, a quienes te ofrecen Colloquy:',
  },
  recordingReady: {
    subject: 'Tu grabación está lista',
    why: 'Recibes este correo porque la grabación «{{title}}», que añadiste en Colloquy, está lista.',
    action: 'Abrir la grabación',
    otherwise: 'Ya puedes leerla, escucharla y corregirla:',
  },
  recordingFailed: {
    subject: 'No se pudo procesar tu grabación',
    why: 'Recibes este correo porque la grabación «{{title}}», que añadiste en Colloquy, no se pudo procesar.',
    action: 'Ver qué ha fallado',
    otherwise:
      'No se ha cobrado nada. La página de la grabación dice qué ha fallado, y allí puedes volver a intentarlo:',
  },
  recordingsGiven: {
    subject: '{{owner}} te ha dado grabaciones',
    why: '{{owner}} eliminó su cuenta en Colloquy y te hizo propietario de estas grabaciones:',
    action: 'Abrir biblioteca',
    otherwise: 'Las demás personas conservan su acceso. Ahora decides tú quién tiene acceso.',
  },
  recordingsGone: {
    subject: '{{owner}} ha eliminado grabaciones',
    why: '{{owner}} eliminó su cuenta en Colloquy. Con ella se eliminaron estas grabaciones, a las que tenías acceso:',
    action: 'Abrir biblioteca',
    otherwise: 'No se pueden restaurar.',
  },
  orderPlaced: {
    subject: 'Una grabación necesita una transcripción',
    why: 'Recibes este correo porque en Colloquy esta dirección figura como la de una persona que transcribe grabaciones. Hay un pedido nuevo.',
    action: 'Abrir pedidos',
    otherwise: 'Para verlo, inicia sesión con esta dirección:',
  },
  orderWithdrawn: {
    subject: 'Se retiró un pedido',
    why: 'Recibes este correo porque tomaste el pedido «{{title}}» en Colloquy. Su propietario ha eliminado la grabación, así que no queda nada por hacer.',
    action: 'Abrir pedidos',
    otherwise: 'Si tienes una copia de la grabación, elimínala. Los demás pedidos:',
  },
  purchased: {
    subject: 'Tus créditos han llegado',
    why: 'Recibes este correo porque compraste créditos en Colloquy: se han añadido {{what}} créditos a tu saldo.',
    practice: 'Fue un pago de prueba: no se movió dinero.',
    action: 'Ver movimientos y recibos',
    otherwise: 'Si no has comprado nada, responde a este correo o escribe al soporte. Tus recibos:',
  },
  gift: {
    subject: '{{from}} te ha transferido créditos',
    why: 'Recibes este correo porque {{from}} te ha transferido {{amount}} créditos en Colloquy.',
    action: 'Ver saldo',
    otherwise: 'Los créditos pagan la transcripción de grabaciones. Tu saldo:',
    signUp: {
      action: 'Crear cuenta',
      otherwise:
        'Los créditos pagan la transcripción de grabaciones. Para recibirlos, crea una cuenta con esta dirección en un plazo de 14 días. Después se devuelven.',
    },
  },
  giftReturned: {
    subject: 'Tus créditos han vuelto',
    why: 'Recibes este correo porque transferiste {{amount}} créditos a {{to}} en Colloquy. Nadie con esta dirección los ha recogido, así que vuelven a estar en tu saldo.',
    action: 'Ver saldo',
    otherwise: 'Si la dirección no era correcta, puedes transferirlos de nuevo a la correcta. Tu saldo:',
  },
  invitation: {
    action: 'Abrir invitación',
    decline: 'Rechazar la invitación',
    otherwise: 'Si no conoces a esta persona, ignora este correo. No ocurre nada si no aceptas.',
    account: {
      subject: '{{inviter}} te invita a Colloquy',
      why: 'Recibes este correo porque {{inviter}} te invita a Colloquy, donde varias personas corrigen, comentan y evalúan juntas la transcripción de una grabación.',
    },
    team: {
      subject: '{{inviter}} te invita a un equipo',
      why: 'Recibes este correo porque {{inviter}} te invita a formar parte de un equipo en Colloquy.',
    },
    meeting: {
      subject: '{{inviter}} comparte una grabación contigo',
      why: 'Recibes este correo porque {{inviter}} comparte contigo una grabación y su transcripción en Colloquy.',
    },
    folder: {
      subject: '{{inviter}} comparte una carpeta contigo',
      why: 'Recibes este correo porque {{inviter}} comparte contigo una carpeta de grabaciones y sus transcripciones en Colloquy.',
    },
    recording: {
      subject: '{{inviter}} te pide una grabación',
      why: 'Recibes este correo porque {{inviter}} te pide que añadas una grabación tuya a Colloquy. Primero la evalúas tú y después {{inviter}}.',
    },
  },
  teamPayer: {
    subject: '{{by}} te pide que pagues por un equipo',
    why: 'Recibes este correo porque {{by}} te pide que pagues con tus créditos las grabaciones del equipo «{{team}}» en Colloquy.',
    action: 'Abrir el equipo',
    otherwise: 'Nada cambia si no lo aceptas allí.',
  },
  teamJoined: {
    subject: 'Ya formas parte de un equipo',
    why: 'Recibes este correo porque te has unido al equipo «{{team}}» en Colloquy. Lo que se comparte con el equipo está ahora en tu biblioteca.',
    action: 'Abrir el equipo',
    otherwise: 'Si no quieres formar parte de él, puedes abandonarlo allí.',
  },
  teamLow: {
    subject: 'Quedan pocos créditos en un equipo',
    why: 'Recibes este correo porque administras el equipo «{{team}}» en Colloquy. A su pagador le quedan {{balance}} créditos, menos de los {{limit}} a partir de los cuales se avisa.',
    action: 'Abrir el equipo',
    otherwise: 'Sin créditos, el equipo ya no puede pagar las grabaciones de sus miembros.',
  },
  teamUploads: {
    subject: 'Grabaciones nuevas en un equipo',
    why: 'Recibes este correo porque administras el equipo «{{team}}» en Colloquy. Estos miembros han añadido grabaciones:',
    action: 'Abrir el equipo',
    otherwise: 'Un administrador puede desactivar estos correos en los ajustes del equipo.',
  },
  mention: {
    subject: '{{author}} te ha mencionado en un comentario',
    why: 'Recibes este correo porque {{author}} te ha mencionado en un comentario sobre «{{title}}» en Colloquy.',
    action: 'Abrir comentario',
    otherwise: 'Puedes responder debajo.',
  },
  reply: {
    subject: '{{author}} ha respondido a un comentario',
    why: 'Recibes este correo porque {{author}} ha respondido en «{{title}}», en Colloquy, a una conversación en la que has escrito. Como mucho llega uno por hora de cada conversación.',
  },
  comment: {
    subject: '{{author}} ha comentado tu grabación',
    why: 'Recibes este correo porque {{author}} ha comentado «{{title}}», que es tuya en Colloquy. Como mucho llega uno al día por cada grabación.',
  },
  shared: {
    subject: '{{inviter}} comparte una grabación contigo',
    why: 'Recibes este correo porque {{inviter}} comparte contigo una grabación y su transcripción en Colloquy.',
    action: 'Abrir grabación',
    otherwise: 'Si no conoces a esta persona, ignora este correo.',
  },
  review: {
    action: 'Abrir evaluación',
    otherwise: 'Si no esperabas este correo, ignóralo.',
    asked: {
      subject: '{{by}} te pide que evalúes una grabación',
      why: 'Recibes este correo porque {{by}} te pide que evalúes una grabación en Colloquy.',
    },
    'self-done': {
      subject: '{{by}} ha evaluado su propia grabación',
      why: 'Recibes este correo porque {{by}} ha completado su autoevaluación en Colloquy. Ahora te toca a ti.',
    },
    supervised: {
      subject: '{{by}} ha añadido a un supervisor a una evaluación',
      why: 'Recibes este correo porque {{by}} ha añadido a un supervisor a una evaluación de Colloquy en la que participas. Los supervisores pueden leer todas las evaluaciones.',
    },
    join: {
      subject: '{{by}} quiere participar como evaluador',
      why: 'Recibes este correo porque {{by}} quiere participar en una evaluación de Colloquy que diriges.',
    },
    due: {
      subject: 'Una evaluación vence mañana',
      why: 'Recibes este correo porque una evaluación de Colloquy vence mañana y aún no has terminado la tuya.',
    },
    approve: {
      subject: 'Una evaluación espera tu aprobación',
      why: 'Recibes este correo porque los demás evaluadores de una grabación en Colloquy han terminado.',
    },
    opened: {
      subject: 'Una evaluación está completa',
      why: 'Recibes este correo porque una evaluación de Colloquy en la que participas está completa. Ya puedes leer lo que han escrito todos.',
    },
    published: {
      subject: 'Se ha publicado una evaluación',
      why: 'Recibes este correo porque se ha publicado una evaluación de Colloquy en la que participas.',
    },
  },
  reviewDigest: {
    subject: 'Tus evaluaciones',
    why: 'Recibes este correo por evaluaciones de Colloquy en las que participas. Esto es lo nuevo:',
    action: 'Abrir Colloquy',
    otherwise:
      'Tu equipo reúne estos correos: como máximo uno al día. Un administrador puede cambiarlo en los ajustes del equipo.',
  },
  teamWords: 'Tu equipo «{{team}}» añade:',
  sharedFolder: {
    subject: '{{inviter}} comparte una carpeta contigo',
    why: 'Recibes este correo porque {{inviter}} comparte contigo una carpeta de grabaciones y sus transcripciones en Colloquy.',
    action: 'Abrir carpeta',
    otherwise: 'Si no conoces a esta persona, ignora este correo.',
  },
  accessRequest: {
    subject: '{{asker}} quiere ver tu grabación',
    why: 'Recibes este correo porque {{asker}} ({{address}}) solicita acceso a tu grabación «{{title}}» en Colloquy.',
    action: 'Ver la solicitud',
    otherwise: 'Abrir el enlace todavía no cambia nada. Si no conoces a esta persona, ignora este correo.',
    roles: {
      canComment: {
        subject: '{{asker}} quiere comentar tu grabación',
        why: 'Recibes este correo porque {{asker}} ({{address}}) pide permiso para comentar tu grabación «{{title}}» en Colloquy.',
      },
      canEdit: {
        subject: '{{asker}} quiere editar tu grabación',
        why: 'Recibes este correo porque {{asker}} ({{address}}) pide permiso para editar tu grabación «{{title}}» en Colloquy.',
      },
      canEditShare: {
        subject: '{{asker}} quiere editar y compartir tu grabación',
        why: 'Recibes este correo porque {{asker}} ({{address}}) pide permiso para editar y compartir tu grabación «{{title}}» en Colloquy.',
      },
    },
  },
  accessGiven: {
    subject: '{{inviter}} te ha dado acceso',
    why: 'Recibes este correo porque solicitaste acceso. {{inviter}} te lo ha dado a la grabación «{{title}}» en Colloquy.',
    action: 'Abrir la grabación',
    otherwise: 'Si no lo solicitaste, ignora este correo.',
  },
  feedback: {
    subject: 'Comentarios sobre Colloquy',
    why: 'Recibes este correo porque a esta dirección llegan los comentarios sobre Colloquy. Alguien ha escrito:',
    contact: 'Contacto: {{contact}}',
    noContact: 'No se ha indicado ningún contacto.',
  },
};
