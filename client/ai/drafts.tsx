import { IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { atom, useAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';

import type { DraftKind, DraftsView, DraftView } from '#shared/ai/drafts.ts';
import { joinSentences } from '#shared/i18n/sentences.ts';

import { Failure } from '../errors/failure.tsx';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';
import { CheckedPart, Quotes } from './checked-part.tsx';
import { ModelWork } from './model-work.tsx';
import styles from './suggestions.module.css';
import { useDrafts, useMayDraft } from './use-drafts.ts';
import { useTaking } from './use-taking.ts';

const icon = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

/** Draft of a summary or of chapters by a model; the person accepts, edits or rejects each entry. */
export default function Drafts({ kind }: { kind: DraftKind }) {
  return useMayDraft(kind) ? <OfRecording kind={kind} /> : null;
}

function OfRecording({ kind }: { kind: DraftKind }) {
  const { t } = useTranslation(['drafts', 'suggestions', 'annotations', 'modelWork']);
  const { drafts, make, decide, stop } = useDrafts(kind);
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
  const doneOf = (run: DraftsView['run']) => {
    const { found = null, dropped = null } = run ?? {};
    const said: string[] = [found ? t('found', { count: found }) : t('none')];
    if (dropped) said.push(t('modelWork:dropped', { count: dropped }));
    return joinSentences(...said);
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
      <ModelWork
        view={data}
        failure={error}
        onAgain={() => void refetch()}
        start={make}
        onStart={make.mutate}
        stop={stop}
        isMade={open.length > 0}
        form={{ isOpen: begun, onOpen: begin }}
        onFreed={() => section.current?.focus()}
        words={{
          ...{ open: t(`make.${kind}`), again: t('again'), about: t(`about.${kind}`), stop: t('stop') },
          price: (price) => t('price', { price }),
          done: doneOf(data.run),
        }}
      />
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
