import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import type { GlossaryView } from '#shared/glossary.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { replaceAddress } from '../library/place.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { TermFields, termFrom, type TermEntry } from './term-fields.tsx';
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

function Keeping({ heard, term, glossaries, onClose }: KeepProps & { glossaries: GlossaryView[] }) {
  const { t } = useTranslation(['glossary', 'common']);
  const [entry, setEntry] = useState<TermEntry>({ term, heard });
  const [chosen, choose] = useState(glossaries[0] ? keyOf(glossaries[0]) : '');
  const glossary = glossaries.find((one) => keyOf(one) === chosen);
  const { mutate, isPending, error } = useChangeGlossary(glossary ?? { kind: 'person', id: '' });
  const keep = () => {
    if (isPending) return;
    const kept = termFrom(entry, heard);
    // A term kept for a folder is offered for its recordings, all others for every recording.
    const folder = glossary?.kind === 'folder' ? glossary.id : null;
    const elsewhere = kept.heard[0] === undefined ? null : replaceAddress(kept.heard[0], kept.term.trim(), folder);
    mutate({ change: { add: [kept] }, term: kept.term.trim(), elsewhere }, { onSuccess: onClose });
  };
  return (
    <Form onSubmit={keep}>
      <TermFields entry={entry} onChange={setEntry} error={error} />
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
