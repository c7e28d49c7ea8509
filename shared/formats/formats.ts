// Which formats there are, in and out, and what can be chosen of each.

/** What a transcript may be brought in as, by the names programs use. */
export const importFormats = ['REV', 'TRME', 'ZOOM', 'RAE', 'OTTERAI', 'TURBOSCRIBE'] as const;
export type ImportFormat = (typeof importFormats)[number];

export const exportFormats = [...importFormats, 'SRT', 'VTT', 'MARKDOWN', 'JSON'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Remembered until somebody chooses another one. */
export const defaultFormat: ExportFormat & ImportFormat = 'REV';

export type FileType = 'txt' | 'docx' | 'vtt' | 'srt' | 'md' | 'json';

interface Facets {
  /** The first is what one gets without choosing. */
  fileTypes: readonly FileType[];
  /** Names, times, what is in braces: what can be left out; all else can be put in. */
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
/** What is not in a file unless somebody wants it there. */
const added: readonly ExportOption[] = ['summary', 'contents', 'outcomes', 'comments', 'private'];

export const facets: Record<ExportFormat, Facets> = {
  REV: { fileTypes: ['docx'], optional: ['speakers', 'times', 'redacted'] },
  TRME: { fileTypes: ['docx'], optional: ['speakers', 'times', 'redacted'] },
  ZOOM: { fileTypes: ['vtt'], optional: ['speakers', 'redacted'] },
  RAE: { fileTypes: ['txt', 'docx'], optional: [...added, 'redacted'] },
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
  /** Of these also what their author keeps private: a file is made to be passed on. */
  private: boolean;
  /** Nothing that stands in curly braces, which mark what is about somebody's person. */
  redacted: boolean;
}

/** What a format makes of a wish: what it cannot leave out is there, and a file it has none of becomes the one it has. */
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
  vtt: 'text/vtt; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json',
};

/** What no file system takes, what reorders letters, and what begins a hidden file. */
const notInNames = /[\p{Cc}\p{Cf}\p{Surrogate}<>:"/\\|?*]+/gu;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
/** Of what all file systems take, with room for what a browser adds. */
const mostBytes = 200;

/** After the recording's title. */
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
