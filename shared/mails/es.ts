import type { MailTexts } from './texts.ts';

export const es: MailTexts = {
  greeting: 'Hola, {{name}}:',
  greetingNameless: 'Hola:',
  valid: 'El enlace funciona durante {{time}} y una sola vez.',
  confirm: {
    subject: 'Confirma tu dirección de correo',
    why: 'Recibes este mensaje porque se ha abierto una cuenta en Colloquy con esta dirección. Confirma, por favor, que la dirección es tuya.',
    action: 'Confirmar la dirección',
    otherwise: 'Si no has sido tú, ignora este mensaje: sin confirmación, la cuenta se elimina al cabo de {{time}}.',
  },
  alreadyRegistered: {
    subject: 'Ya tienes una cuenta',
    why: 'Recibes este mensaje porque alguien, probablemente tú, ha querido usar esta dirección para una cuenta en Colloquy. Ya tiene una, así que basta con iniciar sesión.',
    action: 'Iniciar sesión',
    forgot: 'Si ya no recuerdas la contraseña, elige una nueva:',
    otherwise: 'Si no has sido tú, no tienes que hacer nada: tu cuenta sigue como estaba.',
  },
  reset: {
    subject: 'Elige una contraseña nueva',
    why: 'Recibes este mensaje porque en Colloquy se ha pedido una contraseña nueva para la cuenta con esta dirección.',
    action: 'Elegir una contraseña nueva',
    otherwise: 'Si no has sido tú, ignora este mensaje: tu contraseña no cambia.',
  },
  changeEmail: {
    subject: 'Confirma tu nueva dirección de correo',
    why: 'Recibes este mensaje porque esta dirección se ha indicado como la nueva de una cuenta en Colloquy. Para hacer el cambio, abre el enlace e introduce la contraseña de la cuenta.',
    action: 'Cambiar a esta dirección',
    otherwise: 'Si no has sido tú, ignora este mensaje: no cambia nada.',
  },
  emailChanged: {
    subject: 'Tu dirección de correo ha cambiado',
    why: 'Recibes este mensaje porque la dirección de tu cuenta en Colloquy ha cambiado a {{address}}. A partir de ahora inicias sesión con ella.',
    action: 'Deshacer el cambio',
    otherwise:
      'Si has sido tú, no tienes que hacer nada. Si no, deshaz el cambio y elige después una contraseña nueva:',
  },
  passwordChanged: {
    subject: 'Tu contraseña ha cambiado',
    why: 'Recibes este mensaje porque la contraseña de tu cuenta en Colloquy ha cambiado.',
    action: 'Elegir una contraseña nueva',
    otherwise: 'Si has sido tú, no tienes que hacer nada. Si no, elige enseguida una contraseña nueva:',
  },
  accountDeleted: {
    subject: 'Tu cuenta se ha eliminado',
    why: 'Recibes este mensaje porque tu cuenta en Colloquy se ha eliminado. No se puede recuperar.',
    action: 'Abrir Colloquy',
    otherwise: 'Si no has sido tú, avisa, por favor, a quienes te ofrecen Colloquy:',
  },
  recordingReady: {
    subject: 'Tu grabación está lista',
    why: 'Recibes este mensaje porque la grabación «{{title}}», que añadiste en Colloquy, está lista.',
    action: 'Abrir la grabación',
    otherwise: 'Ya puedes leerla, escucharla y corregirla:',
  },
  recordingFailed: {
    subject: 'No se pudo procesar tu grabación',
    why: 'Recibes este mensaje porque la grabación «{{title}}», que añadiste en Colloquy, no se pudo procesar.',
    action: 'Ver qué ha fallado',
    otherwise: 'No se te ha cobrado nada. Su página dice qué ha fallado, y allí puedes volver a intentarlo:',
  },
  recordingsGiven: {
    subject: '{{owner}} te ha dado grabaciones',
    why: '{{owner}} eliminó su cuenta en Colloquy y te hizo propietario de estas grabaciones:',
    action: 'Abrir tu biblioteca',
    otherwise: 'Las demás personas conservan el acceso que tenían. Ahora decides tú quién tiene acceso.',
  },
  recordingsGone: {
    subject: '{{owner}} ha eliminado grabaciones',
    why: '{{owner}} eliminó su cuenta en Colloquy. Con ella se eliminaron estas grabaciones, a las que tenías acceso:',
    action: 'Abrir tu biblioteca',
    otherwise: 'No se pueden restaurar.',
  },
  orderPlaced: {
    subject: 'Una grabación espera que la transcriban',
    why: 'Recibes este correo porque en Colloquy esta dirección figura como la de alguien que transcribe grabaciones. Te espera un pedido.',
    action: 'Abrir los pedidos',
    otherwise: 'Para verlo, inicia sesión con esta dirección:',
  },
  orderWithdrawn: {
    subject: 'Se retiró un pedido',
    why: 'Recibes este correo porque habías tomado el pedido «{{title}}» en Colloquy. Su propietario ha eliminado la grabación: ya no queda nada por hacer.',
    action: 'Abrir los pedidos',
    otherwise: 'Elimina la grabación, si la has guardado. Los demás pedidos:',
  },
  invitation: {
    action: 'Abrir la invitación',
    otherwise: 'Si no conoces a esta persona, ignora este mensaje: no ocurre nada si no aceptas.',
    account: {
      subject: '{{inviter}} te invita a Colloquy',
      why: 'Recibes este mensaje porque {{inviter}} te invita a Colloquy, donde varias personas corrigen, comentan y evalúan juntas la transcripción de una grabación.',
    },
    team: {
      subject: '{{inviter}} te invita a un equipo',
      why: 'Recibes este mensaje porque {{inviter}} te invita a formar parte de un equipo en Colloquy.',
    },
    meeting: {
      subject: '{{inviter}} comparte una grabación contigo',
      why: 'Recibes este mensaje porque {{inviter}} comparte contigo una grabación y su transcripción en Colloquy.',
    },
    folder: {
      subject: '{{inviter}} comparte una carpeta contigo',
      why: 'Recibes este mensaje porque {{inviter}} comparte contigo una carpeta de grabaciones y sus transcripciones en Colloquy.',
    },
  },
  mention: {
    subject: '{{author}} le ha mencionado en un comentario',
    why: 'Recibe este correo porque {{author}} le menciona en un comentario sobre «{{title}}» en Colloquy.',
    action: 'Leer el comentario',
    otherwise: 'Puede responder justo debajo.',
  },
  shared: {
    subject: '{{inviter}} comparte una grabación con usted',
    why: 'Recibe este correo porque {{inviter}} comparte con usted una grabación y su transcripción en Colloquy.',
    action: 'Abrir la grabación',
    otherwise: 'Si no conoce a esta persona, ignore este correo.',
  },
  sharedFolder: {
    subject: '{{inviter}} comparte una carpeta con usted',
    why: 'Recibe este correo porque {{inviter}} comparte con usted una carpeta de grabaciones y sus transcripciones en Colloquy.',
    action: 'Abrir la carpeta',
    otherwise: 'Si no conoce a esta persona, ignore este correo.',
  },
  accessRequest: {
    subject: '{{asker}} quiere ver su grabación',
    why: 'Recibe este correo porque {{asker}} ({{address}}) pide acceso a «{{title}}», una grabación suya en Colloquy.',
    action: 'Ver la solicitud',
    otherwise:
      'Abrir el enlace no cambia nada todavía. Si no conoce a esta persona, ignore este correo: nadie obtiene acceso.',
    roles: {
      canComment: {
        subject: '{{asker}} quiere comentar su grabación',
        why: 'Recibe este correo porque {{asker}} ({{address}}) pide permiso para comentar «{{title}}», una grabación suya en Colloquy.',
      },
      canEdit: {
        subject: '{{asker}} quiere editar su grabación',
        why: 'Recibe este correo porque {{asker}} ({{address}}) pide permiso para editar «{{title}}», una grabación suya en Colloquy.',
      },
      canEditShare: {
        subject: '{{asker}} quiere editar y compartir su grabación',
        why: 'Recibe este correo porque {{asker}} ({{address}}) pide permiso para editar y compartir «{{title}}», una grabación suya en Colloquy.',
      },
    },
  },
  feedback: {
    subject: 'Comentarios sobre Colloquy',
    why: 'Recibes este mensaje porque a esta dirección llegan los comentarios sobre Colloquy. Alguien ha escrito:',
    contact: 'Contacto: {{contact}}',
    noContact: 'No se ha indicado ningún contacto.',
  },
};
