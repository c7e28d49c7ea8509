import { dialogPart, useDialogPart } from '../../errors/part-dialog.tsx';

const RequestDialog = dialogPart(() => import('./request-dialog.tsx'));

export const useRequestDialog = (meetingId: string) =>
  useDialogPart((props) => <RequestDialog meetingId={meetingId} {...props} />);
