import { IconDownload } from '@tabler/icons-react';
import { useMemo, useState, useSyncExternalStore } from 'react';

import {
  chosenOf,
  contentTypes,
  defaultFormat,
  facets,
  fileName,
  type Chosen,
  type ExportFormat,
} from '#shared/formats/formats.ts';
import { firstLines } from '#shared/formats/page.ts';
import { unprintable } from '#shared/formats/printed.ts';
import { redact, redactText } from '#shared/formats/redact.ts';
import { spokenDocument, type Around } from '#shared/formats/spoken.ts';
import { writeTranscript } from '#shared/formats/write.ts';
import { readAbout } from '#shared/meetings/about.ts';
import type { MeetingAbout } from '#shared/meetings/meeting.ts';
import type { SpokenSegment } from '#shared/meetings/words.ts';

import { useApi } from '../../../api.ts';
import { FormatField, isFileType, isFormat } from '../../../library/format-field.tsx';
import { failureMessage } from '../../../ui/failure-message.ts';
import { usePreferences } from '../../../preferences.ts';
import { Button } from '../../../ui/button.tsx';
import { Choices } from '../../../ui/choices.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { Actions, Form } from '../../../ui/form.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';
import styles from './export-dialog.module.css';
import { useMarked } from './use-marked.ts';
import { useSaid } from './use-said.ts';

/** Size of the preview: enough to see what a format looks like. */
const shownSegments = 12;
const shownLines = 24;
const shownLetters = 300;

interface ExportDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Dialog to export the transcript in a format of other programs. */
export function ExportDialog({ opened, onClose }: ExportDialogProps) {
  const { t } = useTranslation('export');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('title')} help="export" size="lg">
      <Choosing onDone={onClose} />
    </Dialog>
  );
}

/** Thrown for a file that cannot be made without a connection. */
class NeedsServer extends Error {}

/** Same facts as on the server, so that preview and file agree; a cached answer may lack the date. */
const around = ({ date, media }: MeetingAbout, segments: readonly SpokenSegment[]): Around => {
  const seconds = Math.max(0, ...media.map(({ duration }) => duration ?? 0));
  return { segments, date, mediaMs: seconds * 1000 };
};

/** A file holds what was said about the recording unless a person leaves it out; offline nobody can add it. */
const annotated = { summary: true, contents: true, outcomes: true, comments: true } as const;

function Choosing({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('export');
  const { t: tCommon } = useTranslation(['common', 'shell']);
  const api = useApi();
  const { about, live, words } = useMeeting();
  const [preferences, prefer] = usePreferences();
  const kept = preferences.export;
  const [format, setFormat] = useState<ExportFormat>(isFormat(kept?.format) ? kept.format : defaultFormat);
  const [wish, setWish] = useState<Partial<Chosen>>(kept?.fileType ? { fileType: kept.fileType } : {});
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const chosen = chosenOf(format, { ...(live.state.connected && annotated), ...wish });
  const marked = useMarked(chosen);
  const { fileTypes } = facets[format];
  const said = chosen.summary || chosen.outcomes || chosen.comments;
  const optional = facets[format].optional.filter((option) => {
    // Hiding needs passages in braces; private annotations need annotations in the file.
    if (option === 'redacted') return marked;
    return option !== 'private' || said;
  });
  const { title } = useShared(live.doc.getMap('about'), () => readAbout(live.doc));

  const named = fileName(chosen.redacted ? redactText(title) : title, chosen.fileType);

  const content = async (): Promise<Blob> => {
    if (live.state.connected) {
      const answer = await api.export[':id'].$post({ param: { id: about.id }, json: { format, options: chosen } });
      return answer.blob();
    }
    if (said || chosen.contents) throw new NeedsServer();
    // Offline, the page writes the file from its own transcript; documents need the server.
    const page = writeTranscript(format, spokenDocument(live.doc, around(about, words.reading().segments)), chosen);
    if (page.kind !== 'text') throw new NeedsServer();
    return new Blob([page.text], { type: contentTypes[chosen.fileType] });
  };

  const download = async () => {
    if (busy) return;
    setBusy(true);
    setErrors([]);
    try {
      saveFile(await content(), named);
      const { fileType } = chosen;
      prefer({
        export: { format, ...(fileTypes.length > 1 && isFileType(fileType) && { fileType }) },
      });
      onDone();
    } catch (error) {
      setErrors([error instanceof NeedsServer ? t('offline') : failureMessage(error, tCommon)]);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Form errors={errors} label={t('title')} onSubmit={() => void download()}>
      <div className={styles.choosing}>
        <FormatField
          format={format}
          fileType={chosen.fileType}
          hint={t(chosen.fileType === 'pdf' ? 'pdf.about' : `about.${format}`)}
          onChoose={(next, fileType) => {
            setFormat(next);
            if (fileType) setWish({ ...wish, fileType });
          }}
        />
        {fileTypes.length > 1 && format !== 'RAE' && (
          <Choices
            label={t('file')}
            choices={fileTypes.map((value) => ({ value, label: t(value === 'docx' ? 'files.docx' : 'files.txt') }))}
            value={chosen.fileType}
            onChange={(value) => setWish({ ...wish, fileType: value === 'docx' ? 'docx' : 'txt' })}
          />
        )}
        {optional.length > 0 && (
          <fieldset className={styles.optional}>
            <legend className={styles.legend}>{t('contents')}</legend>
            {optional.map((option) => (
              <CheckField
                key={option}
                label={t(`options.${option}`)}
                checked={chosen[option]}
                onChange={(checked) => setWish({ ...wish, [option]: checked })}
              />
            ))}
          </fieldset>
        )}
        <Preview format={format} chosen={chosen} />
      </div>
      {live.state.connected && live.state.pending > 0 && <p role="status">{t('pending')}</p>}
      <Actions>
        <Button look="quiet" onClick={onDone}>
          {tCommon('cancel')}
        </Button>
        <Button
          type="submit"
          look="primary"
          busy={busy}
          icon={<IconDownload size={18} stroke={1.5} aria-hidden="true" />}
        >
          {busy ? t('busy') : t('download')}
        </Button>
      </Actions>
    </Form>
  );
}

/** Beginning of the file, made by the same writer from the transcript on this page. */
function Preview({ format, chosen }: { format: ExportFormat; chosen: Chosen }) {
  const { t } = useTranslation('export');
  const { t: tSpeakers } = useTranslation('speakers');
  const printed = useMemo(
    () => ({
      date: t('facts.date'),
      length: t('facts.length'),
      language: t('facts.language'),
      speakers: t('facts.speakers'),
      transcript: t('facts.transcript'),
      unknown: tSpeakers('unknown'),
    }),
    [t, tSpeakers],
  );
  const { about, live, words } = useMeeting();
  const { doc } = live;
  const subscribe = useMemo(() => (heard: () => void) => words.subscribe(heard), [words]);
  const reading = useSyncExternalStore(subscribe, () => words.reading());
  const title = useShared(doc.getMap('about'), () => readAbout(doc).title);
  const { fileType, speakers, times, redacted } = chosen;
  const said = useSaid(chosen);
  const boxed = useMemo(
    () =>
      fileType === 'pdf' && (unprintable.test(title) || reading.segments.some(({ text }) => unprintable.test(text))),
    [fileType, title, reading],
  );
  const lines = useMemo(() => {
    const all = spokenDocument(doc, around(about, reading.segments));
    // Hides before cutting: a brace may close beyond the previewed part.
    const whole = redacted ? redact(all) : all;
    // The header describes the whole recording.
    const beginning = { ...whole, title, turns: whole.turns.slice(0, shownSegments) };
    const page = writeTranscript(format, beginning, { fileType, speakers, times, redacted }, said, printed);
    return firstLines(page, shownLines).map((line) =>
      line.length > shownLetters ? `${[...line.slice(0, shownLetters)].join('')}…` : line,
    );
  }, [doc, about, reading, title, format, fileType, speakers, times, redacted, said, printed]);
  return (
    <figure className={styles.preview}>
      <figcaption className={styles.legend}>
        {t('preview', { name: fileName(redacted ? redactText(title) : title, fileType) })}
      </figcaption>
      {/* Scrolls, so it takes keyboard focus. */}
      <pre className={styles.lines} dir="auto" tabIndex={0} aria-label={t('beginning')} role="region">
        {lines.join('\n')}
      </pre>
      {(fileType === 'docx' || fileType === 'pdf') && <p className={styles.hint}>{t('docxHint')}</p>}
      {fileType === 'pdf' && boxed && <p className={styles.hint}>{t('pdf.boxes')}</p>}
    </figure>
  );
}
