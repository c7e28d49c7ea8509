import { useLocation } from 'react-router-dom';

import { paths } from '../paths.ts';
import MyActions from './actions.tsx';
import Tags from './tags.tsx';

/** The person's own changes, or their tags: small pages that are loaded as one file. */
export default function Mine() {
  return useLocation().pathname === paths.tags ? <Tags /> : <MyActions />;
}
