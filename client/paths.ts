import {
  IconArrowsExchange,
  IconCreditCard,
  IconGift,
  IconHome,
  IconListCheck,
  IconReceipt,
  IconUser,
  IconUsersGroup,
  IconWallet,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';

import type { GuidePage } from '#shared/guide.ts';
import type { en } from '#shared/i18n/en.ts';

/** Every path of the application. */
export const paths = {
  home: '/',
  folder: '/folder/*',
  shared: '/shared',
  deleted: '/deleted',
  find: '/find',
  actions: '/actions',
  tags: '/tags',
  upload: '/upload',
  login: '/login',
  logout: '/logout',
  register: '/signup',
  forgot: '/recover',
  reset: '/reset/:id',
  resend: '/confirm',
  confirm: '/confirm/:token',
  invitation: '/invitation/:id',
  declined: '/invitation/:id/decline',
  profile: '/profile',
  outcomeSets: '/outcome-types',
  outcomeSet: '/outcome-types/:id',
  glossary: '/glossary',
  balance: '/balance',
  transactions: '/transactions',
  teams: '/teams',
  team: '/teams/:id',
  buyCredits: '/buy-credits',
  changePlan: '/change-plan',
  testPurchase: '/testpurchase',
  invite: '/invite',
  confirmEmailChange: '/confirm-email-change',
  undoEmailChange: '/undo-email-change/:token',
  terms: '/terms',
  privacy: '/privacy',
  help: '/help',
  guide: '/help/:page',
  meeting: '/meeting/:docId',
  peer: '/meeting/:docId/peer/:reviewId',
  report: '/meeting/:docId/peer/:reviewId/report',
  compare: '/compare/:ids',
  growth: '/growth',
  access: '/access/:requestId',
  outbox: '/outbox',
  orders: '/orders',
  blocks: '/dev/blocks',
  live: '/dev/live',
} as const;

interface MenuEntry {
  path: string;
  label: `menu.${keyof typeof en.shell.menu}`;
  icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: 'true' }>;
}

/** The pages of the account area, in the order of the side menu and the header menu. */
export const accountPages: readonly MenuEntry[] = [
  { path: paths.home, label: 'menu.home', icon: IconHome },
  { path: paths.teams, label: 'menu.teams', icon: IconUsersGroup },
  { path: paths.profile, label: 'menu.profile', icon: IconUser },
  { path: paths.balance, label: 'menu.balance', icon: IconWallet },
  { path: paths.buyCredits, label: 'menu.buyCredits', icon: IconCreditCard },
  { path: paths.changePlan, label: 'menu.changePlan', icon: IconArrowsExchange },
  { path: paths.transactions, label: 'menu.transactions', icon: IconReceipt },
  { path: paths.invite, label: 'menu.invite', icon: IconGift },
];

/** For transcribers. */
export const ordersPage: MenuEntry = { path: paths.orders, label: 'menu.orders', icon: IconListCheck };

/** A page of the guide. */
export const guidePath = (page: GuidePage): string => `${paths.help}/${page}`;

export const meetingPath = (id: string): string => `/meeting/${id}`;

/** A review as its reviewers see it. */
export const peerPath = (id: string, reviewId: string): string => `${meetingPath(id)}/peer/${reviewId}`;

/** Page with the report of a review for the person assessed. */
export const reportPath = (id: string, reviewId: string): string => `${peerPath(id, reviewId)}/report`;

/** Page with the grades over time of the person assessed in a report, by their id there. */
export const growthPath = (person: string): string => `${paths.growth}?${new URLSearchParams({ person })}`;

/** Recordings, or layers of reviews, side by side. */
export const comparePath = (ids: readonly string[]): string => `/compare/${ids.join(',')}`;

export const groupPath = (id: string): string => `${paths.teams}/${id}`;

/** A page whose form has the e-mail address filled in. */
export const withEmail = (path: string, email: string): string =>
  email.trim() === '' ? path : `${path}?${new URLSearchParams({ email: email.trim() })}`;

/** Query of a recording's page: asks for the access code there, instead of leading to the sign-in page. */
export const codeQuery = 'enter-code';

/** The sign-in page for a recording that needs an access code: says so, and leads to the field for it as well. */
export const loginOrCodePath = (back: string): string =>
  `${paths.login}?${new URLSearchParams({ redirectTo: back, [codeQuery]: '1' })}`;

/** The sign-in page, with the way back to the given address. */
export function loginPath(back: string): string {
  return back === paths.home ? paths.login : `${paths.login}?${new URLSearchParams({ redirectTo: back })}`;
}

/** State of a link out of a recording, which leads back there. */
export const fromRecording = (id: string) => ({ recording: id });

/** Recording that the current page was opened from; null from anywhere else. */
export function recordingBefore(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('recording' in state)) return null;
  const { recording } = state;
  return typeof recording === 'string' && /^[\w-]+$/.test(recording) ? recording : null;
}
