import { dialogPart, useDialogPart } from '../errors/part-dialog.tsx';
import type { Shared } from './sharing-query.ts';

const ShareDialog = dialogPart(() => import('./share-dialog.tsx'));

export const useShareDialog = ({ title, ...shared }: Shared & { title: string }) =>
  useDialogPart((props) => <ShareDialog shared={shared} title={title} {...props} />);
