import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { chosenOf, facets, fileName, type ExportFormat } from '#shared/formats/formats.ts';
import { redactText } from '#shared/formats/redact.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';

import { useApi } from '../api.ts';
import { usePreferences } from '../preferences.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { CheckField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { FormatField, isFileType, isFormat, type FileType } from './format-field.tsx';

interface ExportProps {
  meeting: MeetingHit;
  opened: boolean;
  onClose: () => void;
}

/** Saves a recording's transcript as a file, without opening the recording. */
export default function ExportDialog({ meeting, opened, onClose }: ExportProps) {
  const { t } = useTranslation('library');
  const ready = useTexts('document');
  const title = t('exporting.title', { title: meeting.title || t('untitled') });
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size="sm" room="16rem">
      {ready ? (
        <Choosing meeting={meeting} onDone={onClose} />
      ) : (
        <Waiting>
          <Bone width="60%" height="1.25rem" />
        </Waiting>
      )}
    </Dialog>
  );
}

function Choosing({ meeting: { id, title }, onDone }: { meeting: MeetingHit; onDone: () => void }) {
  const { t } = useTranslation(['export', 'library']);
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const [preferences, prefer] = usePreferences();
  const kept = preferences.export;
  const [format, setFormat] = useState<ExportFormat>(isFormat(kept?.format) ? kept.format : 'RAE');
  const [fileType, setFileType] = useState<FileType>(kept?.fileType ?? 'docx');
  const [annotated, setAnnotated] = useState(true);
  const [redacted, setRedacted] = useState(false);
  const takesAnnotations = facets[format].optional.includes('outcomes');
  const added = takesAnnotations && annotated;
  const annotations = { summary: added, contents: added, outcomes: added, comments: added };
  const options = chosenOf(format, { fileType, redacted, ...annotations });
  const download = useMutation({
    mutationFn: async () => (await api.export[':id'].$post({ param: { id }, json: { format, options } })).blob(),
    onSuccess: (content) => {
      saveFile(content, fileName(options.redacted ? redactText(title) : title, options.fileType));
      const chosen = facets[format].fileTypes.length > 1 && isFileType(options.fileType) && options.fileType;
      prefer({ export: { format, ...(chosen && { fileType: chosen }) } });
      onDone();
    },
    meta: { quiet: true },
  });
  return (
    <Form
      errors={download.error ? [failureMessage(download.error, told)] : []}
      onSubmit={() => !download.isPending && download.mutate()}
    >
      <FormatField
        format={format}
        fileType={options.fileType}
        onChoose={(next, kind) => {
          setFormat(next);
          if (kind) setFileType(kind);
        }}
      />
      {takesAnnotations && (
        <CheckField label={t('library:exporting.annotations')} checked={annotated} onChange={setAnnotated} />
      )}
      <CheckField label={t('export:options.redacted')} checked={redacted} onChange={setRedacted} />
      <Actions>
        <Button look="quiet" onClick={onDone}>
          {told('common:cancel')}
        </Button>
        <Button
          type="submit"
          look="primary"
          busy={download.isPending}
          icon={<IconDownload size={18} stroke={1.5} aria-hidden="true" />}
        >
          {t('export:download')}
        </Button>
      </Actions>
    </Form>
  );
}
