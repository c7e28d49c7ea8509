// Import and export formats, and the options of each.

/** Formats of other programs and our own, by their names in the API. */
export const vendorFormats = ['REV', 'TRME', 'ZOOM', 'RAE', 'OTTERAI', 'TURBOSCRIBE'] as const;
export type VendorFormat = (typeof vendorFormats)[number];

/** Formats that can be read: also captions of any maker, and plain text. */
export const importFormats = [...vendorFormats, 'VTT', 'SRT', 'TEXT'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Formats that a sender names; with AUTO a transcript's content tells it. */
export const transcriptTypes = ['AUTO', ...importFormats] as const;
export type TranscriptType = (typeof transcriptTypes)[number];

export const exportFormats = [...vendorFormats, 'SRT', 'VTT', 'MARKDOWN', 'JSON'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Default until a person chooses another one, which is remembered. */
export const defaultFormat: VendorFormat = 'REV';

export type FileType = 'txt' | 'docx' | 'pdf' | 'vtt' | 'srt' | 'md' | 'json';

interface Facets {
  /** The first one is the default. */
  fileTypes: readonly FileType[];
  /** Options of the format: names, times and text in braces can be left out, all else can be added. */
  optional: readonly ExportOption[];
}

const exportOptions = [
  'speakers',
  'times',
  'summary',
  'contents',
  'outcomes',
  'comments',
  'private',
  'redacted',
] as const;
type ExportOption = (typeof exportOptions)[number];
/** Options that are off by default. */
const added: readonly ExportOption[] = ['summary', 'contents', 'outcomes', 'comments', 'private'];

export const facets: Record<ExportFormat, Facets> = {
  REV: { fileTypes: ['docx'], optional: ['speakers', 'times', 'redacted'] },
  TRME: { fileTypes: ['docx'], optional: ['speakers', 'times', 'redacted'] },
  ZOOM: { fileTypes: ['vtt'], optional: ['speakers', 'redacted'] },
  RAE: { fileTypes: ['txt', 'docx', 'pdf'], optional: [...added, 'redacted'] },
  OTTERAI: { fileTypes: ['txt', 'docx'], optional: ['speakers', 'redacted'] },
  TURBOSCRIBE: { fileTypes: ['txt', 'docx'], optional: ['speakers', 'redacted'] },
  SRT: { fileTypes: ['srt'], optional: ['speakers', 'redacted'] },
  VTT: { fileTypes: ['vtt'], optional: ['speakers', 'redacted'] },
  MARKDOWN: { fileTypes: ['md'], optional: ['speakers', 'times', ...added, 'redacted'] },
  JSON: { fileTypes: ['json'], optional: [...added, 'redacted'] },
};

export interface Chosen {
  fileType: FileType;
  speakers: boolean;
  times: boolean;
  summary: boolean;
  contents: boolean;
  outcomes: boolean;
  comments: boolean;
  /** Includes private annotations of the caller; off by default, because files are passed on. */
  private: boolean;
  /** Hides text in curly braces, which mark personal data. */
  redacted: boolean;
}

/** Options a format gets: those it cannot leave out are on, and an unsupported file type becomes its default. */
export function chosenOf(
  format: ExportFormat,
  { fileType, ...wish }: { [Key in keyof Chosen]?: Chosen[Key] | undefined } = {},
): Chosen {
  const { fileTypes, optional } = facets[format];
  const [first = 'txt'] = fileTypes;
  const has = (option: ExportOption) =>
    added.includes(option) || option === 'redacted'
      ? optional.includes(option) && wish[option] === true
      : !optional.includes(option) || (wish[option] ?? true);
  return {
    fileType: fileType !== undefined && fileTypes.includes(fileType) ? fileType : first,
    speakers: has('speakers'),
    times: has('times'),
    summary: has('summary'),
    contents: has('contents'),
    outcomes: has('outcomes'),
    comments: has('comments'),
    private: has('private'),
    redacted: has('redacted'),
  };
}

export const contentTypes: Record<FileType, string> = {
  txt: 'text/plain; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
  vtt: 'text/vtt; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json',
};

/** Characters that file systems refuse, that reorder letters, or that begin a hidden file. */
const notInNames = /[\p{Cc}\p{Cf}\p{Surrogate}<>:"/\\|?*]+/gu;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
/** Below the limit of all file systems, with room for what a browser appends. */
const mostBytes = 200;

/** File name made of the recording's title. */
export function fileName(title: string, fileType: FileType): string {
  const plain = title
    .replace(notInNames, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '');
  let short = '';
  let bytes = 0;
  for (const letter of plain) {
    bytes += new TextEncoder().encode(letter).length;
    if (bytes > mostBytes) break;
    short += letter;
  }
  short = short.replace(/[. ]+$/, '');
  return `${short === '' || reserved.test(short) ? 'Transcript' : short}.${fileType}`;
}
