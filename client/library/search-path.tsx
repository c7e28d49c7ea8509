import { Navigate, useLocation } from 'react-router-dom';

import { paths } from '../paths.ts';

/** The library under another path, with whatever is looked for in it and, behind the path, the folder it is looked for in. */
export default function SearchPath() {
  const { pathname, search } = useLocation();
  const folder = /^\/search\/folder\/(.+)$/.exec(pathname)?.[1];
  const to = folder === undefined ? paths.home : paths.folder.replace('*', folder);
  return <Navigate to={{ pathname: to, search }} replace />;
}
