import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { activeSpeakers, mergeOf, mergeSpeakers, type SpeakerMerge } from '#shared/meetings/speakers.ts';

import { useApi } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Actions, Form } from '../../../ui/form.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { useStep } from '../../open/open-text.ts';
import styles from './merge-speakers.module.css';
import type { TranscriptSpeaker } from '../../text/speakers.ts';

interface MergeProps {
  voice: TranscriptSpeaker;
  voices: readonly TranscriptSpeaker[];
  onClose: () => void;
}

/** Dialog to merge two speakers whom the recogniser took one person for. */
export function MergeSpeakers({ voice, voices, onClose }: MergeProps) {
  const { t } = useTranslation(['speakers', 'common']);
  const { doc } = useDocument();
  const step = useStep();
  const note = useNoteMerge();
  const others = voices.filter(({ id, listed }) => listed && id !== voice.id);
  const [chosen, setChosen] = useState(others[0]?.id);
  const into = others.find(({ id }) => id === chosen) ?? others[0];
  if (!into) return null;
  const { name } = voice;
  return (
    <Dialog opened onClose={onClose} title={t('merge.title', { name })} help="speakers" size="sm">
      <Form
        onSubmit={() => {
          const merge = mergeOf(doc, voice.id, into.id);
          step((origin) => mergeSpeakers(doc, voice.id, into.id, origin));
          if (merge) note({ ...merge, into });
          onClose();
        }}
      >
        <SelectField
          label={t('merge.into')}
          value={into.id}
          onChange={setChosen}
          options={others.map((other) => ({ value: other.id, label: other.name }))}
          data-autofocus
        />
        <p className={styles.asks} aria-live="polite">
          {t('merge.asks', { count: activeSpeakers(doc).get(voice.id) ?? 0, name, into: into.name })}
        </p>
        <Actions>
          <Button look="quiet" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button look="danger" type="submit">
            {t('merge.action')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** Notes a merge among the person's changes, where it can be undone for 30 days; offline, once the connection is back. */
function useNoteMerge() {
  const { about } = useMeeting();
  const api = useApi();
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ speaker, into: { id, name }, segments }: Omit<SpeakerMerge, 'into'> & { into: TranscriptSpeaker }) =>
      api.actions.speakers.$post({ json: { meeting: about.id, speaker, into: { id, name }, segments } }),
    // The merge itself is done, and undo in the text takes it back as well.
    meta: { quiet: true },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['actions'] }),
  });
  return mutate;
}
