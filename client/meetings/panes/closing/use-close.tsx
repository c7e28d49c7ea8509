import { dialogPart, useDialogPart } from '../../../errors/part-dialog.tsx';

const CloseDialog = dialogPart(() => import('./close-dialog.tsx'));

export const useClose = () => useDialogPart((props) => <CloseDialog {...props} />);
