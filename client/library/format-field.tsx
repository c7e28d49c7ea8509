import { exportFormats, type ExportFormat } from '#shared/formats/formats.ts';

import { SelectField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';

/** Export formats in the order of the menu: the common ones first. Our own format has an entry for each kind of file. */
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

const fileTypes = ['txt', 'docx', 'pdf'] as const;
export type FileType = (typeof fileTypes)[number];
export const isFileType = (text: string | undefined): text is FileType => fileTypes.some((one) => one === text);
export const isFormat = (text: string | undefined): text is ExportFormat =>
  exportFormats.some((format) => format === text);

interface FormatFieldProps {
  format: ExportFormat;
  fileType: string;
  hint?: string;
  /** `fileType` is null where the format alone was chosen. */
  onChoose: (format: ExportFormat, fileType: FileType | null) => void;
}

/** Menu of the formats of an export. */
export function FormatField({ format, fileType, hint, onChoose }: FormatFieldProps) {
  const { t } = useTranslation('export');
  return (
    <SelectField
      label={t('format')}
      {...(hint !== undefined && { hint })}
      value={format === 'RAE' ? `RAE.${fileType}` : format}
      onChange={(value) => {
        const [next, kind] = value.split('.');
        if (isFormat(next)) onChoose(next, isFileType(kind) ? kind : null);
      }}
      options={firstWays.map((value) => ({ value, label: t(wayTexts[value]) }))}
      others={{
        label: t('others'),
        options: otherFormats.map((value) => ({ value, label: t(`formats.${value}`) })),
      }}
      data-autofocus
    />
  );
}
