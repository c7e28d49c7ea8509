import type { MeetingAbout } from '#shared/meetings/meeting.ts';

import { dialogPart, useDialogPart } from '../../errors/part-dialog.tsx';

const RequestDialog = dialogPart(() => import('./request-dialog.tsx'));

export const useRequestDialog = ({ id, media }: Pick<MeetingAbout, 'id' | 'media'>) => {
  const hasSound = media.some(({ tag }) => tag === 'audio' || tag === 'video');
  return useDialogPart((props) => <RequestDialog meetingId={id} hasSound={hasSound} {...props} />);
};
