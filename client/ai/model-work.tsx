import { IconSparkles } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';

import { covers, type AssistantView, type PaidWorkView } from '#shared/ai/views.ts';

import { ApiError } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import { Consent } from './consent.tsx';
import { ModelChoice } from './model-choice.tsx';
import styles from './suggestions.module.css';
import { isUnderWay } from './use-ai-news.ts';
import { useChosenModel } from './use-chosen-model.ts';
import { usePaying, WhoPays, type Cost } from './who-pays.tsx';
import { WorkState } from './work-state.tsx';

interface Mutation {
  isPending: boolean;
  error: Error | null;
}

interface Work {
  view: PaidWorkView;
  /** Failure of the last look at it, after which the view may be old. */
  failure: Error | null;
  onAgain: () => void;
  start: Mutation;
  onStart: (asked: { model: string; cost: Cost }, settled: { onSuccess: () => void }) => void;
  stop: Mutation & { mutate: (none: undefined, settled: { onSuccess: () => void }) => void };
}

interface Words {
  /** Button that opens the form, and the name of the form. */
  open: string;
  /** The same where there is a result already. */
  again: string;
  about: string;
  /** Data that is sent, where it is more than the transcript. */
  sends?: string;
  price: (price: string) => string;
  stop: string;
  /** Result of a run that has ended well. */
  done: string;
}

interface ModelWorkProps extends Work {
  words: Words;
  /** There is a result already. */
  isMade: boolean;
  /** Whether the form is open; default: while there is no result, or on request. */
  form?: { isOpen: boolean; onOpen: (open: boolean) => void };
  /** More fields of the form. */
  fields?: ReactNode;
  /** Gives the focus a place, as the button that had it is gone. */
  onFreed: () => void;
}

/**
 * Work of a model that a person asks for and pays once it is shown: which model, what it reads, whether that is allowed,
 * what it costs, how far it is, and what came of it. Without a model nothing is offered.
 */
export function ModelWork(props: ModelWorkProps) {
  const { view, words, isMade, form, stop, failure, onFreed } = props;
  const { t } = useTranslation('modelWork');
  const [begun, begin] = useState(false);
  const isAsked = form?.isOpen ?? begun;
  const onOpen = form?.onOpen ?? begin;
  const close = () => {
    onOpen(false);
    onFreed();
  };
  const [model, onModel] = useChosenModel(view);
  const showsForm = isAsked || (!form && !isMade);
  return (
    <>
      <WorkState
        run={view.run}
        done={words.done}
        isPriced={(view.costs[0]?.cost ?? 0) > 0}
        isOffline={failure instanceof ApiError && failure.code === 'NETWORK'}
      />
      {model === null ? (
        <p className={styles.hint}>{t('noModel')}</p>
      ) : isUnderWay(view) ? (
        <div className={styles.actions}>
          <Button busy={stop.isPending} onClick={() => stop.mutate(undefined, { onSuccess: onFreed })}>
            {words.stop}
          </Button>
        </div>
      ) : showsForm ? (
        <WorkForm {...props} model={model} onModel={onModel} onStarted={close} onClose={isAsked ? close : null} />
      ) : (
        <Button
          wide
          look="quiet"
          icon={<IconSparkles size={18} stroke={1.5} aria-hidden="true" />}
          onClick={() => onOpen(true)}
        >
          {isMade ? words.again : words.open}
        </Button>
      )}
    </>
  );
}

interface WorkFormProps extends ModelWorkProps {
  model: AssistantView;
  onModel: (id: string) => void;
  onStarted: () => void;
  /** Way back to what the form hides; null for none. */
  onClose: (() => void) | null;
}

/** Says what is sent where and what it costs, before it begins. */
function WorkForm({ view, words, model, fields, start, ...props }: WorkFormProps) {
  const { onModel, onStart, onStarted, onClose, onAgain } = props;
  const { t } = useTranslation(['modelWork', 'common']);
  const { models, consent, costs } = view;
  const paying = usePaying(costs);
  const form = useRef<HTMLFormElement>(null);
  const isAsked = onClose !== null;
  // Opened on request in the place of a button that had the focus.
  useEffect(() => {
    if (isAsked) form.current?.focus();
  }, [isAsked]);
  const isAllowed = covers(consent, model);
  return (
    <form
      ref={form}
      tabIndex={-1}
      aria-label={words.open}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isAllowed && paying.isPossible) onStart({ model: model.id, cost: paying.cost }, { onSuccess: onStarted });
      }}
    >
      <p className={styles.hint}>{words.about}</p>
      {fields}
      <ModelChoice models={models} model={model} onModel={onModel} />
      <p className={styles.hint}>{words.sends ?? t('sends')}</p>
      {isAllowed ? (
        <WhoPays {...paying} className={styles.hint} said={words.price} onAgain={onAgain} />
      ) : (
        <Consent model={model} onAllowed={() => form.current?.focus()} />
      )}
      {start.error && (
        <p className={styles.failed} role="alert">
          {t(`refused.${refusalOf(start.error)}`)}
        </p>
      )}
      <div className={styles.actions}>
        {isAllowed && (
          <Button type="submit" look="primary" busy={start.isPending} disabled={!paying.isPossible}>
            {t('start')}
          </Button>
        )}
        {onClose && (
          <Button look="quiet" onClick={onClose}>
            {t('common:cancel')}
          </Button>
        )}
      </div>
    </form>
  );
}

const known = ['NETWORK', 'RATE', 'CONFLICT', 'CONSENT', 'NO_MODEL', 'FUNDS', 'PRICE', 'QUOTA', 'CLOSED'] as const;
const ended = ['NO_PERM', 'NO_ACCESS', 'NOT_FOUND'];

function refusalOf(error: Error): (typeof known)[number] | 'gone' | 'other' {
  const code = error instanceof ApiError ? error.code : '';
  return ended.includes(code) ? 'gone' : (known.find((one) => one === code) ?? 'other');
}
