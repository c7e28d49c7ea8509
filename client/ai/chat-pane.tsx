import { IconMessageChatbot, IconTrash } from '@tabler/icons-react';
import { atom, useAtom, useAtomValue, useSetAtom } from 'jotai';
import { useId, useRef, type KeyboardEvent, type RefObject } from 'react';

import {
  covers,
  longestQuestion,
  stands,
  type AssistantView,
  type ChatView,
  type MessageView,
  type RunFailure,
} from '#shared/ai/views.ts';

import { Failure } from '../errors/failure.tsx';
import { openPaneAtom } from '../meetings/base/open-pane.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { findFormAtom } from '../meetings/panes/find/find-form.ts';
import { FindPane } from '../meetings/panes/find/find-pane.tsx';
import { useConfirm } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { CheckField, TextArea } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { AddComment } from './add-comment.tsx';
import { Analysis } from './analysis.tsx';
import styles from './chat-pane.module.css';
import { CheckedPart } from './checked-part.tsx';
import { Consent, useAllow } from './consent.tsx';
import { ModelChoice } from './model-choice.tsx';
import { refusalOf } from './refusals.ts';
import { isUnderWay } from './use-ai-news.ts';
import { useChat } from './use-chat.ts';
import { useChosenModel } from './use-chosen-model.ts';
import { usePaying, WhoPays } from './who-pays.tsx';

/** Questions that are not sent yet, by recording: they outlive the closed pane. */
const draftsAtom = atom<Readonly<Record<string, string>>>({});
/** Recordings whose annotations go along with each question, by the wish of the person. */
const alongAtom = atom<ReadonlySet<string>>(new Set<string>());

/** The draft with a question at its end, where it is not already. */
function withQuestion(draft: string, question: string): string {
  const typed = draft.trim();
  if (`\n${typed}`.endsWith(`\n${question}`)) return draft;
  return typed === '' ? question : `${typed}\n${question}`;
}

type Chat = ReturnType<typeof useChat> & { data: ChatView };

/** Questions about the recording, answered with words that play; without a model, search. */
export default function ChatPane() {
  const { t } = useTranslation('chat');
  const all = useChat();
  const { data, error, refetch } = all.chat;
  if (data)
    return data.models.length === 0 && data.messages.length === 0 ? <NoModel /> : <OpenChat {...all} data={data} />;
  if (error)
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('notLoaded')}
      </Failure>
    );
  return (
    <Waiting label={t('loading')}>
      <Bone height="4rem" />
      <Bone width="60%" />
    </Waiting>
  );
}

/** Nothing pretends to answer: the pane searches. */
function NoModel() {
  const { t } = useTranslation('chat');
  return (
    <div className={styles.pane}>
      <Analysis model={null} />
      <p className={styles.hint}>{t('noModel')}</p>
      <FindPane finds />
    </div>
  );
}

function OpenChat(chat: Chat) {
  const { t } = useTranslation('chat');
  const { data, remove } = chat;
  const confirm = useConfirm();
  const { id: of } = useMeeting().about;
  const [model, choose] = useChosenModel(data);
  const asks = model !== null && covers(data.consent, model);
  const field = useRef<HTMLTextAreaElement>(null);
  const consent = useRef<HTMLElement>(null);
  const write = useSetAtom(draftsAtom);
  // Text typed meanwhile stays.
  const again = (question: string) => {
    write((all) => ({ ...all, [of]: withQuestion(all[of] ?? '', question) }));
    field.current?.focus();
  };
  const clear = async () => {
    const sure = await confirm({ title: t('clearAsk'), text: t('clearText'), action: t('clear'), danger: true });
    if (sure) remove.mutate(null);
  };
  return (
    <div className={styles.pane}>
      <Analysis model={asks ? model : null} />
      {data.messages.length === 0 ? (
        <Empty title={t('empty')} icon={<IconMessageChatbot size={28} stroke={1.5} />}>
          {t('emptyText')}
        </Empty>
      ) : (
        <>
          <div role="log" aria-label={t('title')}>
            <ol className={styles.messages}>
              {data.messages.map((message) => (
                <li key={message.id}>
                  {message.role === 'user' ? (
                    <Question message={message} onRemove={() => remove.mutate(message.id)} />
                  ) : (
                    <Answer message={message} questions={data.messages} onAgain={asks ? again : null} />
                  )}
                </li>
              ))}
            </ol>
          </div>
          <p className={styles.hint}>{t('checked')}</p>
        </>
      )}
      {model === null ? (
        <p className={styles.hint}>{t('noModel')}</p>
      ) : asks ? (
        <Ask {...chat} model={model} onModel={choose} field={field} onTurnedOff={() => consent.current?.focus()} />
      ) : (
        <Consent model={model} section={consent} onAllowed={() => field.current?.focus()}>
          <p className={styles.hint}>{t('consent.what')}</p>
          <ModelChoice models={data.models} model={model} onModel={choose} />
        </Consent>
      )}
      {data.messages.length > 0 && (
        <Button look="quiet" onClick={() => void clear()}>
          {t('clear')}
        </Button>
      )}
    </div>
  );
}

function Question({ message, onRemove }: { message: MessageView; onRemove: () => void }) {
  const { t } = useTranslation('chat');
  return (
    <div className={styles.question}>
      <p className={styles.asked}>{message.content}</p>
      <IconButton
        label={t('delete')}
        icon={<IconTrash size={16} stroke={1.5} aria-hidden="true" />}
        onClick={onRemove}
      />
    </div>
  );
}

interface AnswerProps {
  message: MessageView;
  questions: readonly MessageView[];
  /** Called with the question; null where the person cannot ask. */
  onAgain: ((question: string) => void) | null;
}

/** Failures that the same question may not meet again. */
const passing: ReadonlySet<string> = new Set<RunFailure>(['away', 'answer', 'slow', 'unexpected']);

function Answer({ message, questions, onAgain }: AnswerProps) {
  const { t } = useTranslation('chat');
  const { run, parts, enough } = message;
  const fill = useSetAtom(findFormAtom);
  const open = useSetAtom(openPaneAtom);
  const question = questions.find(({ nth }) => nth === message.nth - 1)?.content ?? '';
  const search = () => {
    fill((form) => ({ ...form, query: question }));
    open('find');
  };
  const failure = run?.failure ?? 'unexpected';
  const unsaid = run?.state === 'done' && (enough === false || !parts.some(stands));
  return (
    <div className={styles.answer}>
      {parts.map((part, nth) => (
        <CheckedPart key={nth} part={part}>
          <AddComment part={part} />
        </CheckedPart>
      ))}
      {run && isUnderWay(message) && (
        <p className={styles.state}>{t(run.state === 'waiting' ? 'waiting' : 'reading')}</p>
      )}
      {unsaid && (
        <div className={styles.unsaid}>
          <p>{t('doesNotSay')}</p>
          <Button look="quiet" onClick={search}>
            {t('search')}
          </Button>
        </div>
      )}
      {run?.state === 'stopped' && <p className={styles.state}>{t('stopped')}</p>}
      {run?.state === 'failed' && (
        <div className={styles.broken}>
          <p className={styles.failed}>{t(`failure.${failure}`)}</p>
          {onAgain && question !== '' && passing.has(failure) && <AskAgain question={question} onAgain={onAgain} />}
        </div>
      )}
      {run && run.read !== null && run.lines !== null && run.read < run.lines && (
        <p className={styles.state}>{t('partly', { read: run.read, lines: run.lines })}</p>
      )}
    </div>
  );
}

interface AskAgainProps {
  question: string;
  onAgain: (question: string) => void;
}

function AskAgain({ question, onAgain }: AskAgainProps) {
  const { t } = useTranslation('chat');
  const { id: of } = useMeeting().about;
  const draft = useAtomValue(draftsAtom)[of] ?? '';
  const fits = withQuestion(draft, question).length <= longestQuestion;
  return (
    <>
      <Button look="quiet" disabled={!fits} onClick={() => onAgain(question)}>
        {t('again')}
      </Button>
      {!fits && <p className={styles.state}>{t('againLong')}</p>}
    </>
  );
}

interface WithModel extends Chat {
  model: AssistantView;
  onModel: (id: string) => void;
}

interface AskProps extends WithModel {
  field: RefObject<HTMLTextAreaElement | null>;
  /** Gives the focus a place, as the form is gone. */
  onTurnedOff: () => void;
}

function Ask({ data, ask, stop, model, onModel, chat, field, onTurnedOff }: AskProps) {
  const allow = useAllow();
  const paying = usePaying(data.costs);
  const { t } = useTranslation('chat');
  const { about } = useMeeting();
  const [drafts, write] = useAtom(draftsAtom);
  const id = useId();
  const draft = drafts[about.id] ?? '';
  const fill = (text: string) => write((all) => ({ ...all, [about.id]: text }));
  const [along, setAlong] = useAtom(alongAtom);
  const annotations = along.has(about.id);
  const running = data.messages.some(isUnderWay);
  const send = () => {
    const content = draft.trim();
    if (content === '' || running || ask.isPending || !paying.isPossible) return;
    // The question stays in its field until the server has it.
    ask.mutate(
      { content, annotations, model: model.id, cost: paying.cost },
      {
        onSuccess: () =>
          write((all) => ({ ...all, [about.id]: (all[about.id] ?? '') === draft ? '' : (all[about.id] ?? '') })),
      },
    );
  };
  // After the new look at the consent; a failure has its notice.
  const turnOff = () => void allow.mutateAsync({ consent: 'none', all: false }).then(onTurnedOff, () => {});
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        ref={field}
        id={id}
        label={t('question')}
        value={draft}
        rows={3}
        maxLength={longestQuestion}
        error={ask.error && t(refusalOf(ask.error))}
        onChange={fill}
        onKeyDown={keys}
      />
      <CheckField
        label={t('along.label')}
        hint={t('along.hint')}
        checked={annotations}
        onChange={(wanted) =>
          setAlong((all) => {
            const next = new Set(all);
            if (wanted) next.add(about.id);
            else next.delete(about.id);
            return next;
          })
        }
      />
      <ModelChoice models={data.models} model={model} onModel={onModel} />
      <WhoPays
        {...paying}
        className={styles.hint}
        said={(price) => t('price', { price })}
        onAgain={() => void chat.refetch()}
      />
      <div className={styles.actions}>
        {running ? (
          <Button busy={stop.isPending} onClick={() => stop.mutate()}>
            {t('stop')}
          </Button>
        ) : (
          <Button
            type="submit"
            look="primary"
            busy={ask.isPending}
            disabled={draft.trim() === '' || !paying.isPossible}
          >
            {t('ask')}
          </Button>
        )}
        {about.permissions.includes('own') && (
          <Button look="quiet" busy={allow.isPending} onClick={turnOff}>
            {t('consent.turnOff')}
          </Button>
        )}
      </div>
    </form>
  );
}
