import { Outlet } from 'react-router-dom';

import { ConfirmHost } from './ui/confirm.tsx';
import { NoticeHost } from './ui/notice.tsx';
import { VersionBanner } from './ui/version-banner.tsx';

/** What is there once, whatever the route. */
export function Root() {
  return (
    <>
      <NoticeHost />
      <VersionBanner />
      <Outlet />
      <ConfirmHost />
    </>
  );
}
