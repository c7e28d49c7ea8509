import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { glossaryLimits, type GlossaryView } from '#shared/glossary.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useFaults } from './use-faults.ts';
import { glossariesKey, useChangeGlossary } from './use-glossaries.ts';

interface KeepProps {
  meetingId: string;
  heard: string;
  term: string;
  onClose: () => void;
}

/** Keeps the spelling of a name for this person, a folder of the recording, or a team. */
export default function KeepDialog(props: KeepProps) {
  const { t } = useTranslation('find');
  return (
    <Dialog opened onClose={props.onClose} title={t('keep')} keepOnBackdrop>
      <Loaded {...props} />
    </Dialog>
  );
}

function Loaded(props: KeepProps) {
  const { t } = useTranslation('glossary');
  const { meetingId } = props;
  const api = useApi();
  const here = useTexts('finding');
  const { data, error, refetch } = useQuery({
    queryKey: [...glossariesKey, meetingId],
    queryFn: ({ signal }) =>
      parseResponse(api.meetings[':id'].glossaries.$get({ param: { id: meetingId } }, { init: { signal } })),
    staleTime: 0,
  });
  if (here && data) return <Keeping {...props} glossaries={data.glossaries.filter(({ mayAdd }) => mayAdd)} />;
  if (here && error)
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('failed')}
      </Failure>
    );
  return (
    <Waiting>
      <Bone height="3.5rem" />
      <Bone height="3.5rem" />
    </Waiting>
  );
}

const keyOf = ({ kind, id }: GlossaryView): string => `${kind} ${id}`;

function Keeping({ heard: first, term: written, glossaries, onClose }: KeepProps & { glossaries: GlossaryView[] }) {
  const { t } = useTranslation(['glossary', 'common']);
  const [term, setTerm] = useState(written);
  const [heard, setHeard] = useState(first);
  const [chosen, choose] = useState(glossaries[0] ? keyOf(glossaries[0]) : '');
  const glossary = glossaries.find((one) => keyOf(one) === chosen);
  const { mutate, isPending, error } = useChangeGlossary(glossary ?? { kind: 'person', id: '' });
  const faults = useFaults(error);
  const keep = () => {
    const forms = heard.trim() === '' ? [] : [heard];
    if (!isPending) mutate({ change: { add: [{ term, heard: forms }] }, term: term.trim() }, { onSuccess: onClose });
  };
  return (
    <Form onSubmit={keep}>
      <TextField
        label={t('term')}
        value={term}
        maxLength={glossaryLimits.letters}
        autoComplete="off"
        error={faults.term}
        onChange={setTerm}
      />
      <TextField
        label={t('heard')}
        value={heard}
        maxLength={glossaryLimits.letters}
        autoComplete="off"
        error={faults.heard}
        onChange={setHeard}
      />
      <Choices
        label={t('for')}
        choices={glossaries.map((one) => ({
          value: keyOf(one),
          label: one.kind === 'person' ? t('mine') : t(one.kind, { name: one.name }),
        }))}
        value={chosen}
        onChange={choose}
      />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={isPending}>
          {t('keep')}
        </Button>
      </Actions>
    </Form>
  );
}
