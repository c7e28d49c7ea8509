import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { chosenOf, exportFormats, facets, fileName, type ExportFormat } from '#shared/formats/formats.ts';
import { redactText } from '#shared/formats/redact.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';

import { useApi } from '../api.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { CheckField, SelectField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';

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
    <Dialog opened={opened} onClose={onClose} title={title} size="sm">
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

/** The common formats first, as on the page of the recording. */
const firstWays = ['RAE.docx', 'RAE.pdf', 'RAE.txt', 'SRT', 'VTT'] as const;
const wayTexts = {
  'RAE.docx': 'files.docx',
  'RAE.pdf': 'files.pdf',
  'RAE.txt': 'files.txt',
  SRT: 'formats.SRT',
  VTT: 'formats.VTT',
} as const;
type OtherFormat = Exclude<ExportFormat, 'RAE' | 'SRT' | 'VTT'>;
const otherFormats = exportFormats.filter((one): one is OtherFormat => !['RAE', 'SRT', 'VTT'].includes(one));
type Way = (typeof firstWays)[number] | OtherFormat;

function Choosing({ meeting: { id, title }, onDone }: { meeting: MeetingHit; onDone: () => void }) {
  const { t } = useTranslation(['export', 'library']);
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const [way, setWay] = useState<Way>('RAE.docx');
  const [annotated, setAnnotated] = useState(true);
  const [redacted, setRedacted] = useState(false);
  const [format, fileType] = way.split('.') as [ExportFormat, 'docx' | 'pdf' | 'txt' | undefined];
  const takesAnnotations = facets[format].optional.includes('outcomes');
  const added = takesAnnotations && annotated;
  const annotations = { summary: added, contents: added, outcomes: added, comments: added };
  const options = chosenOf(format, { fileType, redacted, ...annotations });
  const download = useMutation({
    mutationFn: async () => (await api.export[':id'].$post({ param: { id }, json: { format, options } })).blob(),
    onSuccess: (content) => {
      saveFile(content, fileName(options.redacted ? redactText(title) : title, options.fileType));
      onDone();
    },
    meta: { quiet: true },
  });
  return (
    <Form
      errors={download.error ? [failureMessage(download.error, told)] : []}
      onSubmit={() => !download.isPending && download.mutate()}
    >
      <SelectField
        label={t('export:format')}
        value={way}
        onChange={(value) => setWay(value as Way)}
        options={firstWays.map((value) => ({ value, label: t(`export:${wayTexts[value]}`) }))}
        others={{
          label: t('export:others'),
          options: otherFormats.map((value) => ({ value, label: t(`export:formats.${value}`) })),
        }}
        data-autofocus
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
