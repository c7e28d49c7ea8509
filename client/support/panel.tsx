import { useMutation, useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue } from 'jotai';
import { useEffect, useId, useRef, useState, type Dispatch, type SetStateAction } from 'react';
import { Link } from 'react-router-dom';

import { isEmail } from '#shared/email.ts';

import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { EmailField, TextArea } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import { recordingTimeAtom } from './asking.ts';
import styles from './support.module.css';
import SupportChat from './chat.tsx';
import { withSurroundings } from './surroundings.ts';

interface Draft {
  contact: string;
  text: string;
}

export interface PanelProps {
  id: string;
  draft: Draft;
  onChange: Dispatch<SetStateAction<Draft>>;
  onSent: () => void;
  onClose: () => void;
}

/** The form to support. People who are signed in are answered at their own address. */
export default function Panel({ id, draft, onChange, onSent, onClose }: PanelProps) {
  const { t } = useTranslation(['support', 'fields', 'common']);
  const api = useApi();
  const notify = useNotify();
  const heading = useId();
  const principal = useSession().data?.principal;
  const signedIn = principal?.kind === 'user';
  // Until the answer is there, and where there is none, the form is shown.
  const { data: support } = useQuery({
    // A model answers people who are signed in.
    queryKey: ['support', signedIn],
    queryFn: ({ signal }) => parseResponse(api.feedback.$get({}, { init: { signal } })),
    staleTime: 60_000,
  });
  const recording = useAtomValue(recordingTimeAtom);
  /** People are written to, although a model answers first. */
  const [asForm, setAsForm] = useState(false);
  const [judged, setJudged] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  const contact = useRef<HTMLInputElement>(null);
  useEffect(() => (contact.current ?? text.current)?.focus(), [asForm]);

  const send = useMutation({
    mutationFn: () =>
      api.feedback.$post({
        json: {
          text: withSurroundings(draft.text, {
            page: window.location,
            browser: navigator.userAgent,
            at: new Date(),
            recordingMs: recording?.ms ?? null,
          }),
          ...(!signedIn && draft.contact.trim() !== '' && { contact: draft.contact.trim() }),
        },
      }),
    onSuccess: () => {
      notify({ type: 'info', message: t('support:thanks') });
      onSent();
    },
  });

  const empty = draft.text.trim() === '';
  const noAddress = !signedIn && draft.contact.trim() !== '' && !isEmail(draft.contact);
  const submit = () => {
    setJudged(true);
    if (noAddress) contact.current?.focus();
    else if (empty) text.current?.focus();
    else if (!send.isPending) send.mutate();
  };
  if (signedIn && support?.chat && !asForm)
    return (
      <div id={id} role="dialog" aria-labelledby={heading} className={styles.panel}>
        <div className={styles.actions}>
          <h2 id={heading}>{t('support:title')}</h2>
          <Button look="quiet" onClick={onClose}>
            {t('common:close')}
          </Button>
        </div>
        <SupportChat
          person={String(principal.id)}
          host={support.chat.host}
          question={draft.text}
          onQuestion={(change) => onChange((before) => ({ ...before, text: change(before.text) }))}
          read={support.isRead}
          onSent={onSent}
          onForm={() => setAsForm(true)}
        />
      </div>
    );
  if (support?.isRead === false)
    return (
      <div id={id} role="dialog" aria-labelledby={heading} className={styles.panel}>
        <h2 id={heading}>{t('support:title')}</h2>
        <p>{t('support:nobody')}</p>
        <div className={styles.actions}>
          <Link to={paths.help}>{t('support:help')}</Link>
          <Button look="quiet" onClick={onClose}>
            {t('common:close')}
          </Button>
        </div>
      </div>
    );
  return (
    <div id={id} role="dialog" aria-labelledby={heading} className={styles.panel}>
      <h2 id={heading}>{t('support:title')}</h2>
      <p className={styles.lead}>{t('support:lead')}</p>
      <Form label={t('support:title')} onSubmit={submit}>
        {!signedIn && (
          <EmailField
            ref={contact}
            label={t('support:email')}
            value={draft.contact}
            onChange={(value) => onChange({ ...draft, contact: value })}
            error={judged && noAddress && t('fields:error.email')}
          />
        )}
        <TextArea
          ref={text}
          label={t('support:description')}
          hint={recording ? t('support:addedInRecording') : t('support:added')}
          rows={signedIn ? 8 : 5}
          value={draft.text}
          onChange={(value) => onChange({ ...draft, text: value })}
          error={judged && empty && t('support:missing')}
          required
        />
        <div className={styles.actions}>
          <Link to={paths.help}>{t('support:help')}</Link>
          <Button look="quiet" onClick={onClose}>
            {t('common:close')}
          </Button>
          <Button type="submit" look="primary" busy={send.isPending}>
            {t('support:send')}
          </Button>
        </div>
      </Form>
    </div>
  );
}
