import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconSparkles } from '@tabler/icons-react';

import type { DetectionView } from '#shared/ai/suggestions.ts';

import { useMeeting } from '../meetings/open/meeting-context.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { DetectForm } from './detect-form.tsx';
import { SuggestionCard } from './suggestion-card.tsx';
import styles from './suggestions.module.css';
import { isSearching, useDetection, type Decision } from './use-detection.ts';
import { detectFormAtom } from './detect-form-atom.ts';

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
  const { detection, decide, stop } = detecting;
  const { layer } = useMeeting();
  const notify = useNotify();
  const begun = useAtomValue(detectFormAtom);
  const begin = useSetAtom(detectFormAtom);
  const list = useRef<HTMLUListElement>(null);
  const section = useRef<HTMLElement>(null);
  const { data } = detection;
  const searching = data !== undefined && isSearching(data);
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
  const { suggestions, models } = data;

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
            {decides ? t('left', { count: suggestions.length }) : t('shown', { count: suggestions.length })}{' '}
            {layer !== null && decides && `${t('inReview')} `}
            {t('checked')}
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
      <p className={data.run?.state === 'failed' ? styles.failed : styles.hint} role="status">
        <RunState {...data} />
      </p>
      {models.length > 0 &&
        (searching ? (
          <div className={styles.actions}>
            <Button busy={stop.isPending} onClick={() => stop.mutate()}>
              {t('stop')}
            </Button>
          </div>
        ) : begun ? (
          <DetectForm {...detecting} data={data} onClose={() => begin(false)} />
        ) : (
          <Button
            wide
            look="quiet"
            icon={<IconSparkles size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => begin(true)}
          >
            {t('find')}
          </Button>
        ))}
    </section>
  );
}

function RunState({ run }: Pick<DetectionView, 'run'>) {
  const { t } = useTranslation('suggestions');
  if (!run) return null;
  const { state, failure, read, lines, found, dropped } = run;
  if (state === 'failed') return t(`failure.${failure ?? 'unexpected'}`);
  if (state === 'stopped') return t('stopped');
  if (state === 'waiting') return t('waiting');
  if (state === 'running')
    return read !== null && read > 0 && lines !== null && read < lines ? t('readingOf', { read, lines }) : t('reading');
  return (
    <>
      {found ? t('found', { count: found }) : t('none')}
      {dropped ? ` ${t('dropped', { count: dropped })}` : null}
    </>
  );
}
