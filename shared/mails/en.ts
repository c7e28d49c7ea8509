import type { MailTexts } from './texts.ts';

export const en: MailTexts = {
  greeting: 'Hello {{name}},',
  greetingNameless: 'Hello,',
  valid: 'The link works for {{time}}, and only once.',
  confirm: {
    subject: 'Confirm your e-mail address',
    why: 'You get this mail because an account was opened at Colloquy with this address. Please confirm that the address is yours.',
    action: 'Confirm the address',
    otherwise: 'If it was not you, ignore this mail: without confirmation the account is removed after {{time}}.',
  },
  alreadyRegistered: {
    subject: 'You already have an account',
    why: 'You get this mail because somebody, probably you, wanted to use this address for an account at Colloquy. It has one already, so you can simply log in.',
    action: 'Log in',
    forgot: 'If you do not know the password any more, choose a new one:',
    otherwise: 'If it was not you, there is nothing to do: your account is as it was.',
  },
  reset: {
    subject: 'Choose a new password',
    why: 'You get this mail because a new password was asked for at Colloquy, for the account with this address.',
    action: 'Choose a new password',
    otherwise: 'If it was not you, ignore this mail: your password stays as it is.',
  },
  changeEmail: {
    subject: 'Confirm your new e-mail address',
    why: 'You get this mail because this address was given as the new one of an account at Colloquy. To change to it, open the link and enter the password of the account.',
    action: 'Change to this address',
    otherwise: 'If it was not you, ignore this mail: nothing changes.',
  },
  emailChanged: {
    subject: 'Your e-mail address was changed',
    why: 'You get this mail because the address of your account at Colloquy was changed to {{address}}. It is the one to log in with from now on.',
    action: 'Take the change back',
    otherwise:
      'If it was you, there is nothing to do. If it was not, take the change back, then choose a new password:',
  },
  passwordChanged: {
    subject: 'Your password was changed',
    why: 'You get this mail because the password of your account at Colloquy was changed.',
    action: 'Choose a new password',
    otherwise: 'If it was you, there is nothing to do. If it was not, choose a new password at once:',
  },
  accountDeleted: {
    subject: 'Your account was deleted',
    why: 'You get this mail because your account at Colloquy was deleted. It cannot be brought back.',
    action: 'Open Colloquy',
    otherwise: 'If it was not you, please tell the people who run Colloquy for you:',
  },
  recordingReady: {
    subject: 'Your recording is ready',
    why: 'You get this mail because the recording “{{title}}”, which you added at Colloquy, is ready.',
    action: 'Open the recording',
    otherwise: 'You can read, hear and correct it now:',
  },
  recordingFailed: {
    subject: 'Your recording could not be processed',
    why: 'You get this mail because the recording “{{title}}”, which you added at Colloquy, could not be processed.',
    action: 'See what went wrong',
    otherwise: 'Nothing was charged for it. Its page says what went wrong, and there you can try again:',
  },
  recordingsGiven: {
    subject: '{{owner}} gave you recordings',
    why: '{{owner}} deleted their account at Colloquy and made you the owner of these recordings:',
    action: 'Open your library',
    otherwise: 'Others keep the access they had. You decide now who has access.',
  },
  recordingsGone: {
    subject: '{{owner}} deleted recordings',
    why: '{{owner}} deleted their account at Colloquy. These recordings, which you had access to, were deleted with it:',
    action: 'Open your library',
    otherwise: 'They cannot be restored.',
  },
  orderPlaced: {
    subject: 'A recording waits to be written down',
    why: 'You get this mail because this address is named at Colloquy as that of somebody who writes recordings down. An order waits for you.',
    action: 'Open the orders',
    otherwise: 'To see it, log in with this address:',
  },
  orderWithdrawn: {
    subject: 'An order was withdrawn',
    why: 'You get this mail because you had taken the order “{{title}}” at Colloquy. Its owner has deleted the recording: nothing is left to do.',
    action: 'Open the orders',
    otherwise: 'Please delete the recording, if you have kept it. The other orders:',
  },
  invitation: {
    action: 'Open the invitation',
    otherwise: 'If you do not know this person, ignore this mail: nothing happens unless you accept.',
    account: {
      subject: '{{inviter}} invites you to Colloquy',
      why: 'You get this mail because {{inviter}} invites you to Colloquy, where people correct, comment on and assess the transcript of a recording together.',
    },
    team: {
      subject: '{{inviter}} invites you to a team',
      why: 'You get this mail because {{inviter}} invites you to join a team at Colloquy.',
    },
    meeting: {
      subject: '{{inviter}} shares a recording with you',
      why: 'You get this mail because {{inviter}} shares a recording and its transcript with you at Colloquy.',
    },
    folder: {
      subject: '{{inviter}} shares a folder with you',
      why: 'You get this mail because {{inviter}} shares a folder of recordings and their transcripts with you at Colloquy.',
    },
  },
  mention: {
    subject: '{{author}} mentioned you in a comment',
    why: 'You get this mail because {{author}} mentions you in a comment on “{{title}}” at Colloquy.',
    action: 'Read the comment',
    otherwise: 'You can answer right below it.',
  },
  shared: {
    subject: '{{inviter}} shares a recording with you',
    why: 'You get this mail because {{inviter}} shares a recording and its transcript with you at Colloquy.',
    action: 'Open the recording',
    otherwise: 'If you do not know this person, ignore this mail.',
  },
  sharedFolder: {
    subject: '{{inviter}} shares a folder with you',
    why: 'You get this mail because {{inviter}} shares a folder of recordings and their transcripts with you at Colloquy.',
    action: 'Open the folder',
    otherwise: 'If you do not know this person, ignore this mail.',
  },
  accessRequest: {
    subject: '{{asker}} would like to see your recording',
    why: 'You get this mail because {{asker}} ({{address}}) asks to be let in to “{{title}}”, which is yours at Colloquy.',
    action: 'Look at the request',
    otherwise:
      'Opening the link changes nothing yet. If you do not know this person, ignore this mail: nobody is let in.',
    roles: {
      canComment: {
        subject: '{{asker}} would like to comment on your recording',
        why: 'You get this mail because {{asker}} ({{address}}) asks to comment on “{{title}}”, which is yours at Colloquy.',
      },
      canEdit: {
        subject: '{{asker}} would like to edit your recording',
        why: 'You get this mail because {{asker}} ({{address}}) asks to edit “{{title}}”, which is yours at Colloquy.',
      },
      canEditShare: {
        subject: '{{asker}} would like to edit and share your recording',
        why: 'You get this mail because {{asker}} ({{address}}) asks to edit and share “{{title}}”, which is yours at Colloquy.',
      },
    },
  },
  feedback: {
    subject: 'Feedback on Colloquy',
    why: 'You get this mail because this address receives what people write as feedback. Somebody wrote:',
    contact: 'Contact: {{contact}}',
    noContact: 'No contact was given.',
  },
};
