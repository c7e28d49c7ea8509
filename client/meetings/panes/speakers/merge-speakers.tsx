import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { activeSpeakers, mergeSpeakers } from '#shared/meetings/speakers.ts';

import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Actions, Form } from '../../../ui/form.tsx';
import { useDocument } from '../../open/meeting-context.ts';
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
  const others = voices.filter(({ id, listed }) => listed && id !== voice.id);
  const [chosen, setChosen] = useState(others[0]?.id);
  const into = others.find(({ id }) => id === chosen) ?? others[0];
  if (!into) return null;
  const { name } = voice;
  return (
    <Dialog opened onClose={onClose} title={t('merge.title', { name })} size="sm">
      <Form
        onSubmit={() => {
          step((origin) => mergeSpeakers(doc, voice.id, into.id, origin));
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
