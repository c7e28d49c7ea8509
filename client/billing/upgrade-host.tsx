import { useLocation } from 'react-router-dom';

import { part } from '../errors/part.tsx';
import { useSession } from '../session.ts';
import { upgradeOffer } from './upgrade-offer.ts';

const UpgradeNotice = part(() => import('./upgrade-notice.tsx'), { inBackground: true });

/** Offers a plan on any page, to people whose minutes run out. */
export function UpgradeHost() {
  const offer = upgradeOffer(useSession().data, useLocation().pathname);
  return offer && <UpgradeNotice offer={offer} />;
}
