import { IconCheck, IconPencil, IconSparkles, IconX } from '@tabler/icons-react';
import { atom, useAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DraftKind, DraftsView, DraftView } from '#shared/ai/drafts.ts';
import { covers, startingModel } from '#shared/ai/views.ts';

import { ApiError } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';
import { CheckedPart, Quotes } from './checked-part.tsx';
import styles from './suggestions.module.css';
import { Start, Terms } from './terms.tsx';
import { isDrafting, useDrafts, useMayDraft } from './use-drafts.ts';
import { useTaking } from './use-taking.ts';
import { usePaying } from './who-pays.tsx';

const icon = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

/** Draft of a summary or of chapters by a model; the person accepts, edits or rejects each entry. */
export default function Drafts({ kind }: { kind: DraftKind }) {
  return useMayDraft(kind) ? <OfRecording kind={kind} /> : null;
}

function OfRecording({ kind }: { kind: DraftKind }) {
  const { t } = useTranslation(['drafts', 'suggestions', 'annotations']);
  const drafting = useDrafts(kind);
  const { drafts, decide, stop } = drafting;
  const taking = useTaking(kind);
  // An undo may be pressed later, with other rights.
  const takingNow = useRef(taking);
  useEffect(() => {
    takingNow.current = taking;
  }, [taking]);
  const notify = useNotify();
  const [begun, begin] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const section = useRef<HTMLElement>(null);
  const { data, error, refetch } = drafts;
  if (error && !data)
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('notLoaded')}
      </Failure>
    );
  const open = data?.drafts.filter(({ state }) => state === 'open') ?? [];
  // Without a model and without a draft there is nothing to show.
  if (!data || (data.models.length === 0 && open.length === 0)) return null;

  const failed = () => notify({ message: t('notDecided') });
  const decided = (draft: DraftView, state: 'accepted' | 'edited' | 'rejected', text: string, nth: number) => {
    const refusal = state === 'rejected' ? null : taking.take(draft, text);
    if (refusal) return notify({ message: t(refusal === 'full' ? 'full' : 'notDecided') });
    const message = state === 'rejected' ? t('rejected') : t(`accepted.${kind}`);
    const back = () => {
      const kept = state === 'rejected' ? null : takingNow.current.takeBack(draft, text);
      if (kept) return notify({ message: t(kept === 'edited' ? `edited.${kind}` : 'notDecided') });
      decide.mutate({ id: draft.id, state: 'open' }, { onError: failed });
    };
    const undo = { kind: 'clickable', text: t('annotations:undo'), onClick: back } as const;
    decide.mutate(
      { id: draft.id, state },
      { onSuccess: () => notify({ type: 'info', message: [message, ' ', undo] }), onError: failed },
    );
    // The next card takes the place of this one.
    const cards = [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])];
    (cards[nth + 1] ?? cards[nth - 1] ?? section.current)?.focus();
  };
  // A button that had the focus goes.
  const toSection = () => section.current?.focus();
  const closeForm = () => {
    begin(false);
    toSection();
  };
  return (
    <section className={styles.suggestions} ref={section} tabIndex={-1} aria-label={t(`title.${kind}`)}>
      {open.length > 0 && (
        <>
          <h3>{t(`title.${kind}`)}</h3>
          <p className={styles.hint}>{t('suggestions:checked')}</p>
          <ul className={styles.list} ref={list} aria-label={t('list')}>
            {open.map((draft, nth) => (
              <DraftCard
                key={draft.id}
                draft={draft}
                busy={decide.isPending}
                onDecide={(state, text) => decided(draft, state, text, nth)}
              />
            ))}
          </ul>
        </>
      )}
      <p className={data.run?.state === 'failed' ? styles.failed : styles.hint} role="status">
        <RunState {...data} />
      </p>
      {data.models.length > 0 &&
        (isDrafting(data) ? (
          <div className={styles.actions}>
            <Button busy={stop.isPending} onClick={() => stop.mutate(undefined, { onSuccess: toSection })}>
              {t('stop')}
            </Button>
          </div>
        ) : begun ? (
          <DraftForm {...drafting} kind={kind} data={data} onClose={closeForm} />
        ) : (
          <Button wide look="quiet" icon={<IconSparkles {...icon} />} onClick={() => begin(true)}>
            {open.length > 0 ? t('again') : t(`make.${kind}`)}
          </Button>
        ))}
    </section>
  );
}

/** Entries that are being edited, by their id: a pane that is closed loses nothing. */
const editsAtom = atom<ReadonlyMap<string, string>>(new Map<string, string>());

interface DraftCardProps {
  draft: DraftView;
  busy: boolean;
  onDecide: (state: 'accepted' | 'edited' | 'rejected', text: string) => void;
}

function DraftCard({ draft, busy, onDecide }: DraftCardProps) {
  const { t } = useTranslation(['drafts', 'suggestions', 'common']);
  const { text, quotes, struck, model } = draft;
  const [all, keep] = useAtom(editsAtom);
  const edited = all.get(draft.id) ?? null;
  const edit = (next: string | null) =>
    keep((before) => {
      const after = new Map(before);
      if (next === null) after.delete(draft.id);
      else after.set(draft.id, next);
      return after;
    });
  const card = useRef<HTMLLIElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const editing = edited !== null;
  // Opened on request, so the field takes the focus.
  useEffect(() => {
    if (editing) field.current?.focus();
  }, [editing]);
  const accept = () => {
    const wanted = edited?.trim() ?? text;
    if (wanted !== '') onDecide(wanted === text ? 'accepted' : 'edited', wanted);
  };
  const cancel = () => {
    edit(null);
    card.current?.focus();
  };
  return (
    <li ref={card} tabIndex={-1} className={styles.card} aria-label={t('card', { text })}>
      {edited === null ? (
        <CheckedPart part={{ text, quotes, struck }} />
      ) : (
        <>
          <TextArea label={t('text')} value={edited} rows={3} onChange={edit} ref={field} />
          <Quotes quotes={quotes} />
        </>
      )}
      <p className={styles.hint}>{t('suggestions:by', { model })}</p>
      <div className={styles.actions}>
        <Button icon={<IconCheck {...icon} />} disabled={busy || edited?.trim() === ''} onClick={accept}>
          {edited === null ? t('accept') : t('save')}
        </Button>
        {edited === null ? (
          <>
            <Button look="quiet" icon={<IconPencil {...icon} />} onClick={() => edit(text)}>
              {t('edit')}
            </Button>
            <Button look="quiet" icon={<IconX {...icon} />} disabled={busy} onClick={() => onDecide('rejected', text)}>
              {t('reject')}
            </Button>
          </>
        ) : (
          <Button look="quiet" onClick={cancel}>
            {t('common:cancel')}
          </Button>
        )}
      </div>
    </li>
  );
}

interface DraftFormProps extends Pick<ReturnType<typeof useDrafts>, 'make' | 'drafts'> {
  kind: DraftKind;
  data: DraftsView;
  onClose: () => void;
}

/** Says where the transcript is sent and what it costs, before it begins. */
function DraftForm({ kind, data, make, drafts, onClose }: DraftFormProps) {
  const { t } = useTranslation('drafts');
  const paying = usePaying(data.costs);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.focus(), []);
  const model = startingModel(data.models, data.model);
  if (!model) return null;
  const allowed = covers(data.consent, model);
  return (
    <form
      ref={form}
      tabIndex={-1}
      aria-label={t(`make.${kind}`)}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate({ model: model.id, cost: paying.cost }, { onSuccess: onClose });
      }}
    >
      <p className={styles.hint}>{t(`about.${kind}`)}</p>
      <Terms
        model={model}
        allowed={allowed}
        paying={paying}
        said={(price) => t('price', { price })}
        onAgain={() => void drafts.refetch()}
      />
      {make.error && (
        <p className={styles.failed} role="alert">
          <Refusal error={make.error} />
        </p>
      )}
      <Start allowed={allowed} paying={paying} busy={make.isPending} onClose={onClose} />
    </form>
  );
}

const ours = ['RATE', 'CONFLICT'] as const;
const usual = ['NETWORK', 'CONSENT', 'NO_MODEL', 'FUNDS', 'PRICE', 'QUOTA', 'CLOSED'] as const;

function Refusal({ error }: { error: Error }) {
  const { t } = useTranslation(['drafts', 'suggestions']);
  const code = error instanceof ApiError ? error.code : '';
  const known = usual.find((one) => one === code);
  return known ? t(`suggestions:refused.${known}`) : t(`refused.${ours.find((one) => one === code) ?? 'other'}`);
}

function RunState({ run }: Pick<DraftsView, 'run'>) {
  const { t } = useTranslation(['drafts', 'suggestions']);
  if (!run) return null;
  const { state, failure, read, lines, found, dropped } = run;
  if (state === 'failed') return failure === 'slow' ? t('slow') : t(`suggestions:failure.${failure ?? 'unexpected'}`);
  if (state === 'stopped') return t('suggestions:stopped');
  if (state === 'waiting') return t('suggestions:waiting');
  if (state === 'running')
    return read !== null && read > 0 && lines !== null && read < lines
      ? t('suggestions:readingOf', { read, lines })
      : t('suggestions:reading');
  return (
    <>
      {found ? t('found', { count: found }) : t('none')}
      {dropped ? ` ${t('suggestions:dropped', { count: dropped })}` : null}
    </>
  );
}
