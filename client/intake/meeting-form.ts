import { externalModel } from '#shared/intake.ts';

import { transcriptOf } from './file-rules.ts';
import type { Draft, Place } from './steps.ts';

/** The form of `meetings-fast`, without the recording's file. */
export function meetingForm(
  {
    title,
    model,
    language,
    speakers,
    vocabulary,
    mentor,
    invite,
    transcript: file,
    pasted,
    transcriptType,
    picked,
  }: Draft,
  { folder, sharedFolder }: Place,
): FormData {
  const form = new FormData();
  const transcript = transcriptOf({ transcript: file, pasted });
  form.set('title', title.trim());
  form.set('model', model);
  form.set('lang', language);
  form.set('spk_num', String(speakers));
  form.set('vocab', vocabulary);
  form.set('mentor', mentor.trim());
  if (invite) form.set('invite', invite.code);
  form.set('folder', folder);
  if (sharedFolder !== null) form.set('shared_folder', sharedFolder);
  if (model === externalModel && transcript) {
    form.set('transcriptType', transcriptType);
    form.set('transcript', transcript);
  }
  if (picked) {
    const { service, recordingId, fileId } = picked;
    form.set(service === 'zoom' ? 'zoomMeetingId' : 'webexMeetingId', recordingId);
    form.set(service === 'zoom' ? 'zoomRecordingFileId' : 'webexFileType', fileId);
  }
  return form;
}
