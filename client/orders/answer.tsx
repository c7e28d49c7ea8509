import { parseResponse } from 'hono/client';
import { useRef, useState } from 'react';

import { defaultFormat, importFormats, type ImportFormat } from '#shared/formats/formats.ts';
import type { OrderView } from '#shared/orders.ts';

import { ApiError, useApi } from '../api.ts';
import { fitsFormat, transcriptFiles } from '../intake/file-rules.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './orders.module.css';
import { useDeed } from './orders-query.ts';

/** Uploads the finished transcript of an order. */
export function Answer({ order }: { order: OrderView }) {
  const { t } = useTranslation(['orders', 'intake']);
  const api = useApi();
  const notify = useNotify();
  const input = useRef<HTMLInputElement>(null);
  const [transcriptType, setType] = useState<ImportFormat>(defaultFormat);
  const [transcript, setTranscript] = useState<File | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const send = useDeed(
    order,
    (form: FormData) =>
      parseResponse(api.orders[':id'].transcript.$post({ param: { id: order.id } }, { init: { body: form } })),
    {
      onDone: () => notify({ type: 'info', message: t('orders:sent', { title: order.title }) }),
      // The server's message names the line of the file.
      onFail: (message, error) => setWrong(error instanceof ApiError && error.status === 422 ? error.message : message),
    },
  );
  const submit = () => {
    const list = transcriptFiles[transcriptType].map((ending) => `.${ending}`).join(', ');
    if (!transcript) return setWrong(t('orders:missing'));
    if (!fitsFormat({ transcript, transcriptType })) return setWrong(t('orders:wrongFile', { list }));
    setWrong(null);
    const form = new FormData();
    form.set('transcriptType', transcriptType);
    form.set('transcript', transcript);
    send.mutate(form);
  };
  return (
    <Form onSubmit={submit} label={t('orders:file', { title: order.title })}>
      <SelectField
        label={t('orders:format')}
        value={transcriptType}
        options={importFormats.map((value) => ({ value, label: t(`intake:format.${value}`) }))}
        onChange={(value) => {
          setType(value as ImportFormat);
          setWrong(null);
        }}
      />
      <div className={styles.pick}>
        <input
          ref={input}
          className={styles.input}
          type="file"
          accept=".docx,.txt,.vtt,.srt"
          tabIndex={-1}
          aria-label={t('orders:file', { title: order.title })}
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = '';
            if (!file) return;
            setTranscript(file);
            setWrong(null);
          }}
        />
        <Button onClick={() => input.current?.click()}>{t('orders:choose')}</Button>
        {transcript && <span className={styles.quiet}>{t('orders:chosen', { name: transcript.name })}</span>}
      </div>
      {wrong !== null && (
        <p className={styles.error} role="alert">
          {wrong}
        </p>
      )}
      <div className={styles.deeds}>
        <Button type="submit" look="primary" busy={send.isPending}>
          {t('orders:send')}
        </Button>
      </div>
    </Form>
  );
}
