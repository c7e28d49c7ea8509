import { useMutation, useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue } from 'jotai';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

import { guidePages, type GuideBlock } from '#shared/guide.ts';
import { fallbackLanguage, isLanguage } from '#shared/i18n/languages.ts';
import type { SupportChatAnswer } from '#shared/support-chat.ts';

import { ApiError, useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { recordingTimeAtom } from './asking.ts';
import styles from './chat.module.css';
import { loadGuide } from './guide.ts';
import { withSurroundings } from './surroundings.ts';

/** Longest question, and messages after which people can take over; values of shared/support-chat.ts. */
const longest = 4000;
const handOverAfter = 2;
const mostRows = 4;

type Said = { role: 'user'; content: string } | SupportChatAnswer['message'];

interface ChatProps {
  /** Where questions are sent: the host, or null for this machine. */
  host: string | null;
  /** First question, as it was typed elsewhere. */
  first: string;
  /** People can take over. */
  read: boolean;
  onClose: () => void;
}

/** Questions about the product, answered from its guide; people take over where that does not help. */
export default function SupportChat(props: ChatProps) {
  return useTexts('support') ? (
    <Chat {...props} />
  ) : (
    <Waiting>
      <Bone height="4rem" />
    </Waiting>
  );
}

function Chat({ host, first, read, onClose }: ChatProps) {
  const { t } = useTranslation(['supportChat', 'common']);
  const [messages, setMessages] = useState<readonly Said[]>([]);
  const [chatId, setChatId] = useState<string | null>(null);
  const [ended, setEnded] = useState(false);
  const [question, setQuestion] = useState(first);
  const field = useRef<HTMLTextAreaElement>(null);
  const send = useSend();
  const handOver = useHandOver(onClose);
  useEffect(() => field.current?.focus(), []);
  const ask = () => {
    const content = question.trim();
    if (content === '' || send.isPending) return;
    const all = [...messages, { role: 'user' as const, content }];
    setMessages(all);
    setQuestion('');
    send.mutate(
      { chatId, messages: all },
      {
        onSuccess: (answer) => {
          setChatId(answer.chatId);
          setMessages([...all, answer.message]);
          setEnded(answer.ended);
        },
        onError: () => {
          // The question is back in its field.
          setMessages(messages);
          setQuestion(content);
        },
      },
    );
  };
  const again = () => {
    setMessages([]);
    setChatId(null);
    setEnded(false);
    send.reset();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    ask();
  };
  const people = read && chatId !== null && messages.length >= handOverAfter && (
    <Button look="quiet" busy={handOver.isPending} onClick={() => handOver.mutate(chatId)}>
      {t('people')}
    </Button>
  );
  return (
    <>
      <div className={styles.messages} role="log" aria-label={t('log')}>
        <p>{t('greeting')}</p>
        {messages.map((message, nth) => (
          <Message key={nth} message={message} />
        ))}
        {send.isPending && <p className={styles.muted}>{t('typing')}</p>}
      </div>
      {ended ? (
        <div className={styles.end}>
          <p>{t('ended')}</p>
          <div className={styles.actions}>
            {people}
            <Button look="primary" onClick={again}>
              {t('again')}
            </Button>
          </div>
        </div>
      ) : (
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            ask();
          }}
        >
          <TextArea
            ref={field}
            label={t('question')}
            value={question}
            rows={Math.min(mostRows, question.split('\n').length)}
            maxLength={longest}
            error={send.error && <Fault error={send.error} />}
            onChange={setQuestion}
            onKeyDown={keys}
          />
          <div className={styles.actions}>
            {people}
            {messages.length >= handOverAfter && (
              <Button look="quiet" onClick={() => setEnded(true)}>
                {t('solved')}
              </Button>
            )}
            <Button type="submit" look="primary" busy={send.isPending} disabled={question.trim() === ''}>
              {t('send')}
            </Button>
          </div>
        </form>
      )}
      <p className={styles.muted}>
        {t('mistakes')} {host === null ? t('local') : t('sent', { host })}
      </p>
    </>
  );
}

function Fault({ error }: { error: Error }) {
  const { t } = useTranslation('supportChat');
  const { t: said } = useTranslation(['common', 'shell']);
  const code = error instanceof ApiError ? error.code : '';
  return code === 'UPSTREAM' || code === 'NO_MODEL' ? t('away') : failureMessage(error, said);
}

function Message({ message }: { message: Said }) {
  const { t } = useTranslation('supportChat');
  if (message.role === 'user') return <p className={styles.asked}>{message.content}</p>;
  if (!message.known) return <p>{t('unknown')}</p>;
  return (
    <div className={styles.answer}>
      <p>{message.content}</p>
      {message.urls.length > 0 && (
        <ul className={styles.pages}>
          {message.urls.map((url) => (
            <li key={url}>
              <PageLink url={url} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Link to a page of the guide, by its title. */
function PageLink({ url }: { url: string }) {
  const { i18n } = useTranslation();
  const language = isLanguage(i18n.language) ? i18n.language : fallbackLanguage;
  const page = guidePages.find((one) => url === `${paths.help}/${one}`);
  const { data: title } = useQuery({
    queryKey: ['guide title', language, page],
    queryFn: async () => (page ? titleOf(await loadGuide(language, page)) : ''),
    staleTime: Infinity,
  });
  return <Link to={url}>{title ?? url}</Link>;
}

const titleOf = (blocks: readonly GuideBlock[]): string =>
  blocks[0]?.lines[0]?.map((part) => (part.kind === 'label' ? '' : part.text)).join('') ?? '';

function useSend() {
  const api = useApi();
  const recording = useAtomValue(recordingTimeAtom);
  return useMutation({
    mutationFn: ({ chatId, messages }: { chatId: string | null; messages: readonly Said[] }) =>
      parseResponse(
        api.feedback.chat.$post({
          json: {
            chatId,
            messages: messages.slice(-1).map(({ role, content }) => ({ role, content })),
            systemInfo: surroundingsOf('', recording?.ms ?? null),
          },
        }),
      ),
    meta: { quiet: true },
  });
}

/** Sends the conversation, as the server has it, to the people who run the site. */
function useHandOver(onSent: () => void) {
  const { t } = useTranslation('support');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const recording = useAtomValue(recordingTimeAtom);
  return useMutation({
    mutationFn: (chatId: string) =>
      api.feedback.$post({ json: { chatId, text: surroundingsOf('Conversation handed over', recording?.ms ?? null) } }),
    meta: { quiet: true },
    onSuccess: () => {
      notify({ type: 'info', message: t('thanks') });
      onSent();
    },
    onError: (error) => notify({ message: failureMessage(error, said) }),
  });
}

const surroundingsOf = (text: string, recordingMs: number | null): string =>
  withSurroundings(text, { page: window.location, browser: navigator.userAgent, at: new Date(), recordingMs }).trim();
