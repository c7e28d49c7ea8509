import { useAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef } from 'react';

import type { DetectionView } from '#shared/ai/suggestions.ts';
import { joinSentences } from '#shared/i18n/sentences.ts';

import { useMeeting } from '../meetings/open/meeting-context.ts';
import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { detectFormAtom } from './detect-form-atom.ts';
import { useDetectFields } from './detect-fields.tsx';
import { ModelWork } from './model-work.tsx';
import { SuggestionCard } from './suggestion-card.tsx';
import styles from './suggestions.module.css';
import { isUnderWay } from './use-ai-news.ts';
import { useDetection, type Decision } from './use-detection.ts';

/**
 * Suggested outcomes, each to be accepted or rejected, and the search that suggests them: for people who may write, in a
 * review for those who read the machine's layer. They decide for the layer that they annotate.
 */
export default function Suggestions() {
  const { about, layer } = useMeeting();
  const { permissions } = about;
  if (layer) return layer.machine ? <Shown decides={permissions.includes('comment')} /> : null;
  return permissions.includes('write') ? <Shown decides /> : null;
}

function Shown({ decides }: { decides: boolean }) {
  const { t } = useTranslation(['suggestions', 'annotations']);
  const detecting = useDetection();
  const { detection, decide } = detecting;
  const { layer } = useMeeting();
  const notify = useNotify();
  const list = useRef<HTMLUListElement>(null);
  const section = useRef<HTMLElement>(null);
  const { data } = detection;
  const searching = data !== undefined && isUnderWay(data);
  const before = useRef(searching);
  const ended = useEffectEvent(() => {
    if (data?.run?.state === 'done' && data.run.outcomeModel === 'coaching')
      notify({ type: 'info', message: t('completed') });
  });
  useEffect(() => {
    if (before.current && !searching) ended();
    before.current = searching;
  }, [searching]);
  // Without a model and without suggestions there is nothing to show.
  if (!data || (data.models.length === 0 && data.suggestions.length === 0)) return null;
  const { suggestions } = data;

  const decided = (decision: Decision, nth: number) => {
    const message = decision.do === 'accept' ? t('accepted') : t('rejected');
    const takeBack = () => decide.mutate({ do: 'reopen', id: decision.id }, { onError: failed });
    const undo = { kind: 'clickable', text: t('annotations:undo'), onClick: takeBack } as const;
    decide.mutate(decision, {
      onSuccess: () => notify({ type: 'info', message: [message, ' ', undo] }),
      onError: failed,
    });
    // The next card takes the place of this one.
    const cards = [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])];
    (cards[nth + 1] ?? cards[nth - 1] ?? section.current)?.focus();
  };
  const failed = () => notify({ message: t('notDecided') });
  return (
    <section className={styles.suggestions} ref={section} tabIndex={-1} aria-label={t('title')}>
      {suggestions.length > 0 && (
        <>
          <h3>{t('title')}</h3>
          <p className={styles.hint}>
            {joinSentences(
              decides ? t('left', { count: suggestions.length }) : t('shown', { count: suggestions.length }),
              layer !== null && decides ? t('inReview') : '',
              t('checked'),
            )}
          </p>
          <ul className={styles.list} ref={list}>
            {suggestions.map((suggestion, nth) => (
              <SuggestionCard
                key={suggestion.id}
                suggestion={suggestion}
                onDecide={decides ? (decision) => decided(decision, nth) : null}
              />
            ))}
          </ul>
        </>
      )}
      <Search {...detecting} data={data} onFreed={() => section.current?.focus()} />
    </section>
  );
}

interface SearchProps extends ReturnType<typeof useDetection> {
  data: DetectionView;
  onFreed: () => void;
}

function Search({ data, detection, search, stop, onFreed }: SearchProps) {
  const { t } = useTranslation(['suggestions', 'modelWork']);
  const [isOpen, onOpen] = useAtom(detectFormAtom);
  const { fields, read } = useDetectFields();
  const { found = null, dropped = null } = data.run ?? {};
  const done: string[] = [found ? t('found', { count: found }) : t('none')];
  if (dropped) done.push(t('modelWork:dropped', { count: dropped }));
  return (
    <ModelWork
      view={data}
      failure={detection.error}
      onAgain={() => void detection.refetch()}
      start={search}
      onStart={(asked, settled) => {
        const about = read();
        if (about) search.mutate({ ...asked, ...about }, settled);
      }}
      stop={stop}
      isMade={data.suggestions.length > 0}
      form={{ isOpen, onOpen }}
      fields={fields}
      onFreed={onFreed}
      words={{
        ...{ open: t('find'), again: t('find'), about: t('about'), stop: t('stop') },
        price: (price) => t('price', { price }),
        done: joinSentences(...done),
      }}
    />
  );
}
