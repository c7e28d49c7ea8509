import { dialogPart, useDialogPart } from '../errors/part-dialog.tsx';

const CopyDialog = dialogPart(() => import('./copy-dialog.tsx'));

export const useCopyDialog = (meeting: { id: string; title: string }) =>
  useDialogPart((props) => <CopyDialog meeting={meeting} {...props} />);
