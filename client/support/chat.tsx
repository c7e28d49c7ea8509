import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { atom, useAtom, useAtomValue } from 'jotai';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { Link } from 'react-router-dom';

import { joinSentences } from '#shared/i18n/sentences.ts';
import type { SupportChatAnswer } from '#shared/support-chat.ts';

import { ApiError, useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { recordingTimeAtom } from './asking.ts';
import styles from './chat.module.css';
import { withSurroundings } from './surroundings.ts';

/** Longest question, and messages after which people can take over; values of shared/support-chat.ts. */
const longest = 4000;
const handOverAfter = 2;
const mostRows = 4;
/** Letters that fit into a line of the field, or fewer. */
const lineLetters = 32;

const rowsOf = (text: string): number =>
  Math.min(
    mostRows,
    text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / lineLetters)), 0),
  );

type Said = { role: 'user'; content: string } | ({ role: 'assistant' } & Pick<SupportChatAnswer, 'parts' | 'known'>);

interface Conversation {
  /** Person whose conversation it is. */
  person: string;
  chatId: string | null;
  messages: readonly Said[];
  ended: boolean;
  /** A question is being answered. */
  asking: boolean;
  error: Error | null;
}

const begun = (person: string): Conversation => ({
  ...{ person, chatId: null, messages: [], ended: false, asking: false, error: null },
});

/** Apart from the panel, which a click beside it closes. */
const conversationAtom = atom(begun(''));

/** The caller's conversation, and how to change it while it is theirs. */
function useConversation(person: string) {
  const [stored, set] = useAtom(conversationAtom);
  const change = (next: Partial<Conversation>) =>
    set((before) => ({ ...(before.person === person ? before : begun(person)), ...next }));
  return [stored.person === person ? stored : begun(person), change] as const;
}

interface ChatProps {
  person: string;
  /** Host that questions are sent to; null: this machine. */
  host: string | null;
  /** Text in the field. */
  question: string;
  onQuestion: (change: (before: string) => string) => void;
  /** People can take over. */
  read: boolean;
  onSent: () => void;
  /** People are asked without a conversation. */
  onForm: () => void;
}

/** Questions about the product, answered from its guide; people take over where that does not help. */
export default function SupportChat(props: ChatProps) {
  return useTexts('supportChat') ? (
    <Chat {...props} />
  ) : (
    <Waiting>
      <Bone height="4rem" />
    </Waiting>
  );
}

function Chat({ person, host, question, onQuestion, read, onSent, onForm }: ChatProps) {
  const { t } = useTranslation('supportChat');
  const [{ chatId, messages, ended, asking, error }, change] = useConversation(person);
  const field = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const send = useSend(change, onQuestion);
  const handOver = useHandOver(() => {
    change(begun(person));
    onSent();
  });
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [messages, asking, error]);
  const ask = () => {
    const content = question.trim();
    if (content === '' || asking) return;
    onQuestion(() => '');
    change({ messages: [...messages, { role: 'user', content }], asking: true, error: null });
    send.mutate({ chatId, content, host, before: messages });
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    ask();
  };
  const talked = chatId !== null && messages.length >= handOverAfter;
  const toPeople = () => (talked ? handOver.mutate({ chatId, said: question.trim() }) : onForm());
  const people = read && !asking && (talked || error !== null) && (
    <Button look="quiet" busy={handOver.isPending} onClick={toPeople}>
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
        {asking && <p className={styles.muted}>{t('typing')}</p>}
      </div>
      {ended ? (
        <div className={styles.form}>
          <p>{t('ended')}</p>
          <div className={styles.actions}>
            {people}
            <Button look="primary" onClick={() => change(begun(person))}>
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
            rows={rowsOf(question)}
            maxLength={longest}
            error={error && <Fault error={error} />}
            onChange={(text) => onQuestion(() => text)}
            onKeyDown={keys}
          />
          <div className={styles.actions}>
            {people}
            {talked && !asking && (
              <Button look="quiet" onClick={() => change({ ended: true })}>
                {t('solved')}
              </Button>
            )}
            <Button type="submit" look="primary" busy={asking} disabled={question.trim() === ''}>
              {t('send')}
            </Button>
          </div>
        </form>
      )}
      <p className={styles.muted}>{joinSentences(t('mistakes'), host === null ? t('local') : t('sent', { host }))}</p>
      <div ref={end} />
    </>
  );
}

function Fault({ error }: { error: Error }) {
  const { t } = useTranslation('supportChat');
  const { t: said } = useTranslation(['common', 'shell']);
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'CONSENT') return t('moved');
  return code === 'UPSTREAM' || code === 'NO_MODEL' ? t('away') : failureMessage(error, said);
}

function Message({ message }: { message: Said }) {
  const { t } = useTranslation('supportChat');
  if (message.role === 'user') return <p className={styles.asked}>{message.content}</p>;
  if (!message.known) return <p>{t('unknown')}</p>;
  return message.parts.map(({ text, quotes }, nth) => (
    <div key={nth}>
      <p>{text}</p>
      {quotes.map((quote, which) => (
        <blockquote key={which} className={styles.quote}>
          {quote.text}
          <footer>
            <Link to={quote.url}>{quote.title}</Link>
          </footer>
        </blockquote>
      ))}
    </div>
  ));
}

interface Sent {
  chatId: string | null;
  content: string;
  host: string | null;
  before: readonly Said[];
}

function useSend(change: (next: Partial<Conversation>) => void, onQuestion: ChatProps['onQuestion']) {
  const api = useApi();
  const client = useQueryClient();
  const recording = useAtomValue(recordingTimeAtom);
  return useMutation({
    mutationFn: ({ chatId, content, host }: Sent) =>
      parseResponse(
        api.feedback.chat.$post({
          json: {
            ...{ chatId, host, messages: [{ role: 'user', content }] },
            systemInfo: surroundingsOf('', recording?.ms ?? null),
          },
        }),
      ),
    meta: { quiet: true },
    // Here and not where it is called: an answer comes also while the panel is closed.
    onSuccess: ({ chatId, parts, known, isEndOfSession }, { content, before }) =>
      change({
        ...{ chatId, asking: false, ended: isEndOfSession },
        messages: [...before, { role: 'user', content }, { role: 'assistant', parts, known }],
      }),
    onError: (error, { content, before }) => {
      change({ messages: before, asking: false, error });
      // The question is back in its field, before what was typed meanwhile.
      onQuestion((text) => (text.trim() === '' ? content : `${content}\n${text}`));
      if (error instanceof ApiError && error.code === 'CONSENT')
        void client.invalidateQueries({ queryKey: ['support'] });
    },
  });
}

/** Sends the conversation, as the server has it, to the people who run the site, with what is typed and not sent. */
function useHandOver(onSent: () => void) {
  const { t } = useTranslation('support');
  const { t: texts } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const recording = useAtomValue(recordingTimeAtom);
  return useMutation({
    mutationFn: ({ chatId, said }: { chatId: string; said: string }) =>
      api.feedback.$post({
        json: { chatId, text: surroundingsOf(said || 'Conversation handed over', recording?.ms ?? null) },
      }),
    meta: { quiet: true },
    onSuccess: () => {
      notify({ type: 'info', message: t('thanks') });
      onSent();
    },
    onError: (error) => notify({ message: failureMessage(error, texts) }),
  });
}

const surroundingsOf = (text: string, recordingMs: number | null): string =>
  withSurroundings(text, { page: window.location, browser: navigator.userAgent, at: new Date(), recordingMs }).trim();
