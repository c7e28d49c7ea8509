import type { MailTexts } from './texts.ts';

export const en: MailTexts = {
  greeting: 'Hello {{name}},',
  greetingNameless: 'Hello,',
  valid: 'The link works for {{time}}, and only once.',
  confirm: {
    subject: 'Confirm your e-mail address',
    why: 'You get this e-mail because an account was created at Colloquy with this address. Please confirm that the address is yours.',
    action: 'Confirm address',
    otherwise: 'If it was not you, ignore this e-mail. Without confirmation, the account is deleted after {{time}}.',
  },
  alreadyRegistered: {
    subject: 'You already have an account',
    why: 'You get this e-mail because someone, probably you, tried to create an account at Colloquy with this address. You already have one, so you can log in.',
    action: 'Log in',
    forgot: 'If you forgot your password, choose a new one:',
    otherwise: 'If it was not you, you don’t have to do anything. Your account has not changed.',
  },
  reset: {
    subject: 'Choose a new password',
    why: 'You get this e-mail because a new password was requested at Colloquy for the account with this address.',
    action: 'Choose a new password',
    otherwise: 'If it was not you, ignore this e-mail. Your password stays the same.',
  },
  changeEmail: {
    subject: 'Confirm your new e-mail address',
    why: 'You get this e-mail because this address was entered as the new one for an account at Colloquy. To change to it, open the link and enter the password of the account.',
    action: 'Change to this address',
    otherwise: 'If it was not you, ignore this e-mail. Nothing changes.',
  },
  emailChanged: {
    subject: 'Your e-mail address was changed',
    why: 'You get this e-mail because the address of your account at Colloquy was changed to {{address}}. From now on, log in with it.',
    action: 'Undo change',
    otherwise: 'If it was you, you don’t have to do anything. If not, undo the change, then choose a new password:',
  },
  passwordChanged: {
    subject: 'Your password was changed',
    why: 'You get this e-mail because the password of your account at Colloquy was changed.',
    action: 'Choose a new password',
    otherwise: 'If it was you, you don’t have to do anything. If not, choose a new password at once:',
  },
  accountDeleted: {
    subject: 'Your account was deleted',
    why: 'You get this e-mail because your account at Colloquy was deleted. It can’t be restored.',
    action: 'Open Colloquy',
    otherwise: 'If it was not you, please tell the people who run Colloquy for you:',
  },
  recordingReady: {
    subject: 'Your recording is ready',
    why: 'You get this e-mail because the recording “{{title}}”, which you added at Colloquy, is ready.',
    action: 'Open the recording',
    otherwise: 'You can read, listen to and correct it now:',
  },
  recordingFailed: {
    subject: 'Your recording could not be processed',
    why: 'You get this e-mail because the recording “{{title}}”, which you added at Colloquy, could not be processed.',
    action: 'See what went wrong',
    otherwise: 'Nothing was charged. The page of the recording says what went wrong, and you can try again there:',
  },
  recordingsGiven: {
    subject: '{{owner}} gave you recordings',
    why: '{{owner}} deleted their account at Colloquy and made you the owner of these recordings:',
    action: 'Open library',
    otherwise: 'Others keep their access. You now decide who has access.',
  },
  recordingsGone: {
    subject: '{{owner}} deleted recordings',
    why: '{{owner}} deleted their account at Colloquy. These recordings, which you had access to, were deleted with it:',
    action: 'Open library',
    otherwise: 'They can’t be restored.',
  },
  orderPlaced: {
    subject: 'A recording needs a transcript',
    why: 'You get this e-mail because Colloquy lists this address as that of a person who transcribes recordings. There is a new order.',
    action: 'Open orders',
    otherwise: 'To see it, log in with this address:',
  },
  orderWithdrawn: {
    subject: 'An order was withdrawn',
    why: 'You get this e-mail because you took the order “{{title}}” at Colloquy. Its owner has deleted the recording, so there is nothing left to do.',
    action: 'Open orders',
    otherwise: 'If you have a copy of the recording, delete it. The other orders:',
  },
  purchased: {
    subject: 'Your credits have arrived',
    why: 'You get this mail because you bought credits at Colloquy: {{what}} credits were added to your balance.',
    practice: 'It was a test payment, no money moved.',
    action: 'See transactions and receipts',
    otherwise: 'If you did not buy anything, answer this mail or write to the support. Your receipts:',
  },
  gift: {
    subject: '{{from}} transferred credits to you',
    why: 'You get this e-mail because {{from}} transferred {{amount}} credits to you at Colloquy.',
    action: 'See balance',
    otherwise: 'Credits pay for the transcription of recordings. Your balance:',
    signUp: {
      action: 'Create account',
      otherwise:
        'Credits pay for the transcription of recordings. To get them, create an account with this address within 14 days. After that, they are returned.',
    },
  },
  giftReturned: {
    subject: 'Your credits have come back',
    why: 'You get this e-mail because you transferred {{amount}} credits to {{to}} at Colloquy. Nobody with this address has taken them, so they are in your balance again.',
    action: 'See balance',
    otherwise: 'If the address was not right, you can transfer them again to the right one. Your balance:',
  },
  invitation: {
    action: 'Open invitation',
    decline: 'Decline the invitation',
    otherwise: 'If you don’t know this person, ignore this e-mail. Nothing happens unless you accept.',
    account: {
      subject: '{{inviter}} invites you to Colloquy',
      why: 'You get this e-mail because {{inviter}} invites you to Colloquy, where people correct, comment on and assess the transcript of a recording together.',
    },
    team: {
      subject: '{{inviter}} invites you to a team',
      why: 'You get this e-mail because {{inviter}} invites you to join a team at Colloquy.',
    },
    meeting: {
      subject: '{{inviter}} shares a recording with you',
      why: 'You get this e-mail because {{inviter}} shares a recording and its transcript with you at Colloquy.',
    },
    folder: {
      subject: '{{inviter}} shares a folder with you',
      why: 'You get this e-mail because {{inviter}} shares a folder of recordings and their transcripts with you at Colloquy.',
    },
    recording: {
      subject: '{{inviter}} asks you for a recording',
      why: 'You get this e-mail because {{inviter}} asks you to add a recording of yours to Colloquy. You assess it first, and {{inviter}} assesses it after you.',
    },
  },
  teamPayer: {
    subject: '{{by}} asks you to pay for a team',
    why: 'You get this mail because {{by}} asks you to pay for the recordings of the team “{{team}}” at Colloquy with your credits.',
    action: 'Open the team',
    otherwise: 'Nothing changes unless you accept there.',
  },
  teamJoined: {
    subject: 'You are in a team',
    why: 'You get this mail because you joined the team “{{team}}” at Colloquy. What is shared with the team is in your library now.',
    action: 'Open the team',
    otherwise: 'If you do not want to be in it, leave it there.',
  },
  teamLow: {
    subject: 'The credits of a team are running low',
    why: 'You get this mail because you are an admin of the team “{{team}}” at Colloquy. Its payer has {{balance}} credits left, less than the {{limit}} at which admins are told.',
    action: 'Open the team',
    otherwise: 'Without credits, the team can no longer pay for its members’ recordings.',
  },
  teamUploads: {
    subject: 'New recordings in a team',
    why: 'You get this mail because you are an admin of the team “{{team}}” at Colloquy. These members added recordings:',
    action: 'Open the team',
    otherwise: 'An admin can turn these mails off in the team’s settings.',
  },
  mention: {
    subject: '{{author}} mentioned you in a comment',
    why: 'You get this e-mail because {{author}} mentioned you in a comment on “{{title}}” at Colloquy.',
    action: 'Open comment',
    otherwise: 'You can reply below it.',
  },
  reply: {
    subject: '{{author}} replied to a comment',
    why: 'You get this e-mail because {{author}} replied on “{{title}}” at Colloquy, in a thread that you wrote in. There is at most one such e-mail an hour for each thread.',
  },
  comment: {
    subject: '{{author}} commented on your recording',
    why: 'You get this e-mail because {{author}} commented on “{{title}}”, which is yours at Colloquy. There is at most one such e-mail a day for each recording.',
  },
  shared: {
    subject: '{{inviter}} shares a recording with you',
    why: 'You get this e-mail because {{inviter}} shares a recording and its transcript with you at Colloquy.',
    action: 'Open recording',
    otherwise: 'If you don’t know this person, ignore this e-mail.',
  },
  review: {
    action: 'Open review',
    otherwise: 'If you did not expect this e-mail, ignore it.',
    asked: {
      subject: '{{by}} asks you to assess a recording',
      why: 'You get this e-mail because {{by}} asks you to assess a recording at Colloquy.',
    },
    'self-done': {
      subject: '{{by}} has completed their own assessment',
      why: 'You get this e-mail because {{by}} has completed their own assessment at Colloquy. Now it is your turn.',
    },
    supervised: {
      subject: '{{by}} added a supervisor to a review',
      why: 'You get this e-mail because {{by}} added a supervisor to a review at Colloquy that you take part in. Supervisors can read all assessments.',
    },
    join: {
      subject: '{{by}} wants to be added to the reviewers',
      why: 'You get this e-mail because {{by}} wants to take part in a review at Colloquy that you lead.',
    },
    due: {
      subject: 'A review is due tomorrow',
      why: 'You get this e-mail because a review at Colloquy is due tomorrow, and you have not completed your assessment yet.',
    },
    approve: {
      subject: 'A review is waiting for your approval',
      why: 'You get this e-mail because all other reviewers of a recording at Colloquy have completed their assessments.',
    },
    opened: {
      subject: 'A review is complete',
      why: 'You get this e-mail because a review at Colloquy that you take part in is complete. You can now read all assessments.',
    },
    published: {
      subject: 'A review was published',
      why: 'You get this e-mail because a review at Colloquy that you take part in was published.',
    },
  },
  reviewDigest: {
    subject: 'Your reviews',
    why: 'You get this e-mail because of reviews at Colloquy that you take part in. This is new:',
    action: 'Open Colloquy',
    otherwise: 'Your team gathers these mails, at most one a day. An admin can change that in the team’s settings.',
  },
  teamWords: 'Your team “{{team}}” adds:',
  sharedFolder: {
    subject: '{{inviter}} shares a folder with you',
    why: 'You get this e-mail because {{inviter}} shares a folder of recordings and their transcripts with you at Colloquy.',
    action: 'Open folder',
    otherwise: 'If you don’t know this person, ignore this e-mail.',
  },
  accessRequest: {
    subject: '{{asker}} would like to see your recording',
    why: 'You get this e-mail because {{asker}} ({{address}}) requests access to your recording “{{title}}” at Colloquy.',
    action: 'Open request',
    otherwise: 'Opening the link changes nothing yet. If you don’t know this person, ignore this e-mail.',
    roles: {
      canComment: {
        subject: '{{asker}} would like to comment on your recording',
        why: 'You get this e-mail because {{asker}} ({{address}}) asks to comment on your recording “{{title}}” at Colloquy.',
      },
      canEdit: {
        subject: '{{asker}} would like to edit your recording',
        why: 'You get this e-mail because {{asker}} ({{address}}) asks to edit your recording “{{title}}” at Colloquy.',
      },
      canEditShare: {
        subject: '{{asker}} would like to edit and share your recording',
        why: 'You get this e-mail because {{asker}} ({{address}}) asks to edit and share your recording “{{title}}” at Colloquy.',
      },
    },
  },
  accessGiven: {
    subject: '{{inviter}} gave you access',
    why: 'You get this mail because you asked for access. {{inviter}} gave it to you, to the recording “{{title}}” at Colloquy.',
    action: 'Open the recording',
    otherwise: 'If you did not ask for it, ignore this mail.',
  },
  feedback: {
    subject: 'Feedback on Colloquy',
    why: 'You get this e-mail because feedback on Colloquy goes to this address. Someone wrote:',
    contact: 'Contact: {{contact}}',
    noContact: 'No contact was given.',
  },
};
