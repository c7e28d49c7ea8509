import { Outlet, ScrollRestoration } from 'react-router-dom';

import { UpgradeHost } from './billing/upgrade-host.tsx';
import { News } from './news/news.tsx';
import { InvitationNotice } from './groups/invitation-notice.tsx';
import { part } from './errors/part.tsx';
import { OnlyHere } from './only-here.tsx';
import styles from './root.module.css';
import { RecorderHost } from './recorder/recorder-host.tsx';
import { Support } from './support/support.tsx';
import { TourHost } from './tours/tour-host.tsx';
import { ConfirmHost } from './ui/confirm-host.tsx';
import { NoticeHost } from './ui/notice.tsx';
import { RouteProgress } from './ui/route-progress.tsx';
import { SkipLink } from './ui/skip-link.tsx';
import { VersionBanner } from './ui/version-banner.tsx';
import { PageBones } from './ui/waiting.tsx';

const KeyboardHost = part(() => import('./ui/keyboard-host.ts'), { waiting: null, inBackground: true });

/** Everything that exists once, on any route. */
export function Root() {
  return (
    <>
      <SkipLink />
      <NoticeHost />
      <KeyboardHost />
      <RouteProgress />
      <VersionBanner />
      <OnlyHere />
      <News />
      <Outlet />
      <InvitationNotice />
      <UpgradeHost />
      <Support />
      <TourHost />
      <RecorderHost />
      <ConfirmHost />
      <ScrollRestoration />
    </>
  );
}

/** Shown until the first screen is loaded. */
export function FirstWait() {
  return (
    <main className={styles.wait} data-first-wait="">
      <PageBones />
    </main>
  );
}
