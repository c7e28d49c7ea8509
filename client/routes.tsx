import type { ComponentType } from 'react';
import type { RouteObject } from 'react-router-dom';

import { RootFailure, RouteFailure } from './errors/route-failure.tsx';
import { loadChunk } from './load.ts';
import { paths } from './paths.ts';
import { Private } from './private.tsx';
import { FirstWait, Root } from './root.tsx';
import { AuthLayout } from './shell/auth-layout.tsx';
import { UnknownPath } from './shell/unknown-path.tsx';

/** Loads a screen, the default export of its file, as a chunk of its own. */
function screen(load: () => Promise<{ default: ComponentType }>) {
  return async () => ({ Component: (await loadChunk(load)).default });
}

const development: RouteObject[] = [
  { path: paths.blocks, lazy: screen(() => import('./dev/blocks.tsx')) },
  {
    element: <Private />,
    children: [{ path: paths.live, lazy: screen(() => import('./meetings/live/try-live.tsx')) }],
  },
];

const legal = (page: 'Terms' | 'Privacy') => async () => ({
  Component: (await loadChunk(() => import('./accounts/legal.tsx')))[page],
});

const mine = screen(() => import('./finding/mine.tsx'));

const signIn: RouteObject[] = [
  { path: paths.login, lazy: screen(() => import('./accounts/login.tsx')) },
  { path: paths.logout, lazy: screen(() => import('./accounts/logout.tsx')) },
  { path: paths.register, lazy: screen(() => import('./accounts/register.tsx')) },
  { path: paths.forgot, lazy: screen(() => import('./accounts/forgot.tsx')) },
  { path: paths.reset, lazy: screen(() => import('./accounts/reset.tsx')) },
  { path: paths.resend, lazy: screen(() => import('./accounts/resend.tsx')) },
  { path: paths.confirm, lazy: screen(() => import('./accounts/confirm.tsx')) },
  { path: paths.undoEmailChange, lazy: screen(() => import('./accounts/undo-email-change.tsx')) },
  { path: paths.invitation, lazy: screen(() => import('./accounts/invitation.tsx')) },
  { path: paths.declined, lazy: screen(() => import('./sharing/decline.tsx')) },
  { path: paths.terms, lazy: legal('Terms') },
  { path: paths.privacy, lazy: legal('Privacy') },
  {
    element: <Private />,
    children: [{ path: paths.confirmEmailChange, lazy: screen(() => import('./accounts/confirm-email-change.tsx')) }],
  },
];

const account: RouteObject[] = [
  { path: paths.profile, lazy: screen(() => import('./accounts/profile/profile.tsx')) },
  { path: paths.outcomeSets, lazy: screen(() => import('./outcome-models/sets.tsx')) },
  { path: paths.outcomeSet, lazy: screen(() => import('./outcome-models/set-editor.tsx')) },
  { path: paths.glossary, lazy: screen(() => import('./glossary/glossary.tsx')) },
  { path: paths.balance, lazy: screen(() => import('./billing/balance.tsx')) },
  { path: paths.transactions, lazy: screen(() => import('./billing/transactions.tsx')) },
  { path: paths.teams, lazy: screen(() => import('./groups/groups.tsx')) },
  { path: paths.team, lazy: screen(() => import('./groups/group.tsx')) },
  { path: paths.buyCredits, lazy: screen(() => import('./billing/buy-credits.tsx')) },
  { path: paths.changePlan, lazy: screen(() => import('./billing/change-plan.tsx')) },
  { path: paths.invite, lazy: screen(() => import('./billing/invite.tsx')) },
  { path: paths.testPurchase, lazy: screen(() => import('./billing/test-purchase.tsx')) },
];

/** Public screens are below AuthLayout, those of the account below AccountLayout, all others below Private. */
export function createRoutes({ withBlocks }: { withBlocks: boolean }): RouteObject[] {
  return [
    {
      element: <Root />,
      errorElement: <RootFailure />,
      hydrateFallbackElement: <FirstWait />,
      children: [
        {
          element: <AuthLayout />,
          children: [{ errorElement: <RouteFailure />, children: signIn }],
        },
        // Not below Private: a link opens it without an account; the server checks permissions.
        {
          path: paths.meeting,
          errorElement: <RouteFailure />,
          lazy: screen(() => import('./meeting-panes.tsx')),
        },
        {
          element: <Private />,
          children: [
            {
              path: paths.peer,
              errorElement: <RouteFailure />,
              lazy: screen(() => import('./peer-parts.tsx')),
            },
          ],
        },
        {
          lazy: async () => ({ Component: (await loadChunk(() => import('./shell/app-layout.tsx'))).AppLayout }),
          children: [
            {
              element: <Private />,
              children: [
                {
                  errorElement: <RouteFailure />,
                  children: [
                    { path: paths.home, lazy: screen(() => import('./home/home.tsx')) },
                    { path: paths.folder, lazy: screen(() => import('./home/home.tsx')) },
                    { path: paths.shared, lazy: screen(() => import('./home/home.tsx')) },
                    { path: paths.deleted, lazy: screen(() => import('./library/deleted.tsx')) },
                    { path: paths.actions, lazy: mine },
                    { path: paths.tags, lazy: mine },
                    { path: paths.find, lazy: screen(() => import('./finding/finds.tsx')) },
                    { path: paths.compare, lazy: screen(() => import('./compare/compare.tsx')) },
                    { path: paths.growth, lazy: screen(() => import('./reviews/growth/growth.tsx')) },
                    { path: paths.report, lazy: screen(() => import('./reviews/report/report.tsx')) },
                    { path: paths.access, lazy: screen(() => import('./sharing/request.tsx')) },
                    { path: paths.orders, lazy: screen(() => import('./orders/orders.tsx')) },
                    {
                      lazy: async () => ({
                        Component: (await loadChunk(() => import('./shell/account-layout.tsx'))).AccountLayout,
                      }),
                      children: [{ errorElement: <RouteFailure />, children: account }],
                    },
                  ],
                },
              ],
            },
            // Help is for everybody; who is signed in keeps their menu.
            {
              errorElement: <RouteFailure />,
              children: [
                { path: paths.help, lazy: screen(() => import('./support/help.tsx')) },
                { path: paths.guide, lazy: screen(() => import('./support/guide-page.tsx')) },
              ],
            },
            {
              path: paths.upload,
              errorElement: <RouteFailure />,
              lazy: screen(() => import('./intake/upload-page.tsx')),
            },
            { path: paths.outbox, errorElement: <RouteFailure />, lazy: screen(() => import('./outbox/outbox.tsx')) },
            ...(withBlocks ? development : []),
          ],
        },
        { path: '/search/*', lazy: screen(() => import('./library/search-path.tsx')) },
        { path: '*', element: <UnknownPath /> },
      ],
    },
  ];
}
