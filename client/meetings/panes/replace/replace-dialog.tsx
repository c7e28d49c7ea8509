import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom, useStore } from 'jotai';
import { useRef, useState } from 'react';

import { defaultFormat, importFormats, type ImportFormat } from '#shared/formats/formats.ts';

import { ApiError, useApi } from '../../../api.ts';
import { failureMessage } from '../../../ui/failure-message.ts';
import { fitsFormat, transcriptFiles } from '../../../intake/file-rules.ts';
import { usePreferences } from '../../../preferences.ts';
import { useNotify } from '../../../store.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Actions, Form } from '../../../ui/form.tsx';
import { Bone, Waiting } from '../../../ui/waiting.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { renewedAtom } from '../history/renewed.ts';
import styles from './replace-dialog.module.css';
import { replacedAtom } from './replaced.ts';

interface ReplaceDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Dialog to replace the transcript with that of another file, for everyone. */
export function ReplaceDialog({ opened, onClose }: ReplaceDialogProps) {
  const { t } = useTranslation('whole');
  const ready = useTexts('intake');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('title')} size="md" keepOnBackdrop room="26rem">
      {ready ? (
        <Choosing onDone={onClose} />
      ) : (
        <Waiting>
          <Bone width="70%" height="2rem" />
        </Waiting>
      )}
    </Dialog>
  );
}

const isFormat = (text: unknown): text is ImportFormat => importFormats.some((format) => format === text);

function Choosing({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation(['whole', 'intake', 'history']);
  const { t: tCommon } = useTranslation(['common', 'shell']);
  const api = useApi();
  const store = useStore();
  const notify = useNotify();
  const tellNotes = useSetAtom(replacedAtom);
  const { about, live } = useMeeting();
  const [{ upload: remembered }] = usePreferences();
  const kept = remembered?.externalTranscriptTypeId;
  const [transcriptType, setType] = useState<ImportFormat>(isFormat(kept) ? kept : defaultFormat);
  const [transcript, setFile] = useState<File | null>(null);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const { connected, pending } = live.state;

  const replace = useMutation({
    mutationFn: (body: FormData) =>
      parseResponse(api.meetings[':id'].replace.$post({ param: { id: about.id } }, { init: { body } })),
    onMutate: () => store.get(renewedAtom),
    onSuccess: ({ notes }, _sent, before) => {
      onDone();
      if (notes.length > 0) return tellNotes({ id: about.id, notes });
      // The page says more, with a way back, once it has the new transcript; over that, nothing is said.
      if (store.get(renewedAtom) === before) notify({ type: 'info', message: t('history:renewed.changed') });
    },
    onError: (error) => setErrors(saidOf(error)),
    meta: { quiet: true },
  });

  function saidOf(error: unknown): string[] {
    const said = [failureMessage(error, tCommon)];
    const looks = error instanceof ApiError ? error.info['looksLike'] : null;
    if (isFormat(looks)) said.push(t('looksLike', { format: t(`intake:format.${looks}`) }));
    return said;
  }

  const submit = () => {
    if (replace.isPending || !connected || pending > 0) return;
    const list = transcriptFiles[transcriptType].map((ending) => `.${ending}`).join(', ');
    if (!transcript) return setErrors([t('intake:external.missing')]);
    if (!fitsFormat({ transcript, transcriptType })) return setErrors([t('intake:external.wrongFile', { list })]);
    setErrors([]);
    const form = new FormData();
    form.set('transcriptType', transcriptType);
    form.set('transcript', transcript);
    replace.mutate(form);
  };

  return (
    <Form errors={errors} label={t('title')} onSubmit={submit}>
      <p>{t('what')}</p>
      <ul className={styles.happens}>
        <li>{t('kept')}</li>
        <li>{t('stays')}</li>
        <li>{t('corrections')}</li>
      </ul>
      <SelectField
        label={t('intake:external.format')}
        value={transcriptType}
        options={importFormats.map((value) => ({ value, label: t(`intake:format.${value}`) }))}
        onChange={(value) => isFormat(value) && setType(value)}
      />
      <div className={styles.pick}>
        <input
          ref={input}
          className={styles.input}
          type="file"
          accept=".docx,.txt,.vtt,.srt"
          tabIndex={-1}
          aria-label={t('intake:external.file')}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            currentTarget.value = '';
            if (file) setFile(file);
          }}
        />
        <Button data-autofocus onClick={() => input.current?.click()}>
          {t('intake:external.choose')}
        </Button>
        {transcript && <span className={styles.chosen}>{t('intake:external.chosen', { name: transcript.name })}</span>}
      </div>
      {(!connected || pending > 0) && <p role="status">{t(connected ? 'pending' : 'offline')}</p>}
      <Actions>
        <Button look="quiet" onClick={onDone}>
          {tCommon('cancel')}
        </Button>
        <Button type="submit" look="danger" busy={replace.isPending} disabled={!connected || pending > 0}>
          {t('action')}
        </Button>
      </Actions>
    </Form>
  );
}
