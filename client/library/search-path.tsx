import { Navigate, useLocation } from 'react-router-dom';

import { paths } from '../paths.ts';

/** An address that leads to the library, with its search and folder. */
export default function SearchPath() {
  const { pathname, search } = useLocation();
  const folder = /^\/search\/folder\/(.+)$/.exec(pathname)?.[1];
  const to = folder === undefined ? paths.home : paths.folder.replace('*', folder);
  return <Navigate to={{ pathname: to, search }} replace />;
}
