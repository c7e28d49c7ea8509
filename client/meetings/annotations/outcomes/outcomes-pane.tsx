import { IconArrowDown, IconArrowUp, IconMicrophone, IconTargetArrow } from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useContext } from 'react';

import { mayAdd } from '#shared/meetings/annotation-rules.ts';

import { useKnownSets } from '../../../outcome-models/known-sets.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { usePhone } from '../../../ui/use-phone.ts';
import { useTranslation } from '../../../use-translation.ts';
import { AnnotationList, isLost } from '../base/annotation-list.tsx';
import { AnnotationsWaiting } from '../base/annotations-waiting.tsx';
import {
  chosenAtom,
  annotationsAtom,
  speakingAtom,
  taggingAtom,
  useAnnotations,
  usePlaces,
} from '../base/open-annotations.ts';
import { useAsking } from '../base/use-asking.ts';
import { useGoToAnnotation } from '../base/use-go-to-annotation.ts';
import { actionsAtom } from '../../base/actions.ts';
import { UnsentVoiceNotes } from '../voice-notes/unsent-voice-notes.tsx';
import { NewVoiceNote } from '../voice-notes/new-voice-note.tsx';
import { useRecording, voiceNote } from '../voice-notes/use-recording.ts';
import { AboveOutcomes } from './above-outcomes.ts';
import { OutcomeCard } from './outcome-card.tsx';
import { OutcomeFilters, typesOf, useCounted } from './outcome-filters.tsx';
import { NewOutcome } from './new-outcome.tsx';
import styles from './outcomes-pane.module.css';
import { filterAtom } from './state.ts';
import { useTypesName } from './use-model.ts';

/** Outcomes of the recording, in the order of the transcript. */
export default function OutcomesPane() {
  const { t } = useTranslation(['outcomes', 'annotations', 'voice']);
  const phone = usePhone();
  useKnownSets();
  const items = useAtomValue(annotationsAtom);
  const above = useContext(AboveOutcomes);
  const view = useAnnotations();
  const places = usePlaces();
  const asking = useAsking();
  const actions = useAtomValue(actionsAtom);
  const tagging = useAtomValue(taggingAtom);
  const speaking = useAtomValue(speakingAtom);
  // An unsent voice note shows until it is sent or discarded, except while an outcome is being added.
  const { recording } = useRecording(voiceNote);
  const speaks = speaking !== null || (recording !== null && tagging === null);
  const begins = tagging !== null || speaks;
  const chosen = useAtomValue(chosenAtom);
  const filter = useAtomValue(filterAtom);
  const counted = useCounted();
  const set = useTypesName();
  const goTo = useGoToAnnotation();
  if (!items || !view?.ready) return <AnnotationsWaiting />;

  const all = [...view.outcome.values()]
    .map((outcome) => ({ outcome, place: places.get(`outcome ${outcome.id}`) }))
    .sort(
      (one, other) =>
        (one.place?.from ?? Infinity) - (other.place?.from ?? Infinity) || one.outcome.start - other.outcome.start,
    );
  const types = typesOf(all.map(({ outcome }) => outcome));
  const listed = all.filter(
    ({ outcome }) =>
      outcome.id === (chosen?.kind === 'outcome' ? chosen.id : null) ||
      ((filter.type === '' || outcome.type === filter.type) &&
        (filter.author === '' || outcome.author.id === filter.author)),
  );
  const grouped = filter.grouped && types.length > 1;
  const nth = ({ outcome }: (typeof all)[number]) => types.findIndex(({ type }) => type.id === outcome.type);
  // Sorting keeps the order of the transcript within a type.
  if (grouped) listed.sort((one, other) => nth(one) - nth(other));
  const headingOf = ({ outcome: { type } }: (typeof all)[number]) =>
    counted(type, listed.filter(({ outcome }) => outcome.type === type).length);
  const walked = [...listed.filter((one) => !isLost(one)), ...listed.filter(isLost)];
  const at = walked.findIndex(({ outcome }) => chosen?.kind === 'outcome' && outcome.id === chosen.id);
  const walk = (step: 1 | -1) => {
    const next = walked[at === -1 ? (step === 1 ? 0 : walked.length - 1) : (at + step + walked.length) % walked.length];
    if (next) goTo('outcome', next.outcome);
  };
  const mayTag = mayAdd(asking, true);
  const card = ({ outcome, place }: (typeof all)[number]) => (
    <OutcomeCard
      key={outcome.id}
      outcome={outcome}
      place={place}
      asking={asking}
      waiting={view.waiting.has(outcome.id)}
      open={chosen?.kind === 'outcome' && chosen.id === outcome.id}
    />
  );
  return (
    <div className={styles.outcomes}>
      {!mayTag && <p className={styles.note}>{t(asking.userId === null ? 'readOnlyVisitor' : 'readOnly')}</p>}
      {mayTag && !mayAdd(asking, false) && <p className={styles.note}>{t('onlyOwn')}</p>}
      {(mayTag || set.shared) && !tagging && <h3 className={styles.set}>{set.name}</h3>}
      {above}
      <UnsentVoiceNotes kind="outcome" />
      {speaks && <NewVoiceNote ownOnly={!mayAdd(asking, false)} />}
      {tagging && <NewOutcome ownOnly={!mayAdd(asking, false)} />}
      {!begins && mayTag && (
        <div className={styles.begin}>
          {all.length > 0 && (
            <Button
              wide
              icon={<IconTargetArrow size={18} stroke={1.5} aria-hidden="true" />}
              onClick={() => actions.run('outcome')}
            >
              {t('begin')}
            </Button>
          )}
          <Button
            wide
            look="quiet"
            icon={<IconMicrophone size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => actions.run('voice')}
          >
            {t('voice:begin')}
          </Button>
        </div>
      )}
      {all.length === 0 && !begins && (
        <Empty
          title={t('empty')}
          icon={<IconTargetArrow size={32} stroke={1.25} />}
          {...(mayTag && { action: <Button onClick={() => actions.run('outcome')}>{t('begin')}</Button> })}
        >
          {t(!mayTag ? 'emptyReading' : phone ? 'emptyTouch' : 'emptyText')}
        </Empty>
      )}
      {all.length > 1 && (
        <div className={styles.walk}>
          <IconButton
            label={t('previous')}
            icon={<IconArrowUp size={18} stroke={1.5} aria-hidden="true" />}
            disabled={walked.length === 0}
            onClick={() => walk(-1)}
          />
          <IconButton
            label={t('next')}
            icon={<IconArrowDown size={18} stroke={1.5} aria-hidden="true" />}
            disabled={walked.length === 0}
            onClick={() => walk(1)}
          />
          <span className={styles.note} role="status">
            {at !== -1 && t('place', { place: at + 1, number: walked.length })}
          </span>
        </div>
      )}
      <OutcomeFilters all={all.map(({ outcome }) => outcome)} />
      {all.length > 0 && listed.length === 0 && <p className={styles.note}>{t('noneShown')}</p>}
      <AnnotationList listed={listed} idOf={({ outcome }) => outcome.id} card={card} {...(grouped && { headingOf })} />
    </div>
  );
}
