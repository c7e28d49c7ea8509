import { useState } from 'react';

import { builtInFor, isOwnModel, outcomeModelIds, type OutcomeModelId } from '#shared/account-choices.ts';
import { modelIn, readPreferred } from '#shared/meetings/outcome-schema.ts';

import { useDocument, useMeeting } from '../meetings/open/meeting-context.ts';
import { useSpeakers } from '../meetings/open/use-speakers.ts';
import { useSession } from '../session.ts';
import { SelectField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';

interface Wanted {
  outcomeModel: OutcomeModelId;
  coachSpeakerId?: string;
}

/** Fields of a search for outcomes: of which model, and whose words count where that matters. */
export function useDetectFields() {
  const { t } = useTranslation(['suggestions', 'accountType']);
  const { doc } = useDocument();
  const { layer } = useMeeting();
  const speakers = useSpeakers();
  const { accountType = null, outcomeModel: chosenSet = null } = useSession().data?.principal ?? {};
  const [chosen, choose] = useState<OutcomeModelId | null>(null);
  const named = layer?.outcomeModel ?? modelIn(readPreferred(doc), builtInFor(accountType, chosenSet));
  const outcomeModel = chosen ?? (isOwnModel(named) ? 'meeting' : named);
  const [coach, setCoach] = useState('');
  const [isMissing, setMissing] = useState(false);
  const coached = outcomeModel === 'coaching';
  const fields = (
    <>
      <SelectField
        label={t('what')}
        value={outcomeModel}
        options={outcomeModelIds.map((value) => ({ value, label: t(`accountType:models.${value}`) }))}
        onChange={(value) => choose(outcomeModelIds.find((id) => id === value) ?? 'meeting')}
      />
      {coached && (
        <SelectField
          label={t('coach')}
          placeholder={t('chooseSpeaker')}
          value={coach}
          options={speakers.map(({ id, name }) => ({ value: id, label: name === '' ? t('nameless') : name }))}
          error={isMissing ? t('chooseSpeaker') : undefined}
          onChange={(value) => {
            setMissing(false);
            setCoach(value);
          }}
        />
      )}
    </>
  );
  /** Values of the fields; null where one is missing, which the field then says. */
  const read = (): Wanted | null => {
    if (!coached) return { outcomeModel };
    if (coach !== '') return { outcomeModel, coachSpeakerId: coach };
    setMissing(true);
    return null;
  };
  return { fields, read };
}
