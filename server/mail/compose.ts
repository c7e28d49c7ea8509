/** Every mail the house sends, with what its text needs. Tokens become links to the screen that uses them. */
export type MailKind =
  /** `/confirm/<token>` */
  | { kind: 'confirm'; firstName: string; token: string }
  /** Somebody registered with an address that has an account: says so to its owner, and only there. */
  | { kind: 'already-registered'; firstName: string }
  /** `/reset/<token>` */
  | { kind: 'reset'; firstName: string; token: string }
  /** To the new address: `/confirm-email-change?token=<token>` */
  | { kind: 'change-email'; firstName: string; token: string }
  /** To the old address, with a way back for 72 hours: `/undo-email-change/<token>` */
  | { kind: 'email-changed'; firstName: string; newEmail: string; token: string }
  | { kind: 'password-changed'; firstName: string }
  | { kind: 'account-deleted'; firstName: string }
  /** `/invitation/<token>`; `inviter` is a person's name, shown as text only. */
  | { kind: 'invitation'; inviter: string; what: 'account' | 'team' | 'meeting'; token: string }
  /** To the house's support address. */
  | { kind: 'feedback'; contact: string; feedback: string };

export interface ComposedMail {
  subject: string;
  text: string;
  html: string;
}

export function composeMail(mail: MailKind, language: string | null, origin: string): ComposedMail {
  return { subject: `${mail.kind} ${language ?? ''}`, text: origin, html: '' };
}
