import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { Link } from 'react-router-dom';

import { humanModel, type CreatedView } from '#shared/intake.ts';

import { useApi } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { exactDate } from '../ui/dates.tsx';
import { Actions } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import { CancelButton } from './cancel-button.tsx';
import { Costs } from './costs.tsx';
import styles from './dialog.module.css';
import { Notes } from './notes.tsx';
import { choiceText } from './price.ts';
import { onlyWay, shownProgress, type Event, type State } from './steps.ts';

interface DestinationProps {
  state: State;
  send: (event: Event) => void;
  onCancel: (() => void) | null;
}

/** Waits for the meeting to be created; then shows the notes on its transcript and the ways to pay. */
export function Destination({ state, send, onCancel }: DestinationProps) {
  const { t } = useTranslation('intake');
  const { created, model } = state;
  const api = useApi();
  const again = useMutation({
    mutationFn: (id: string) => parseResponse(api.meetings[':id'].costs.$get({ param: { id }, query: { model } })),
    onSuccess: (costs, id) => send({ kind: 'costs', id, costs }),
  });
  if (created && state.unread) {
    return (
      <Notes
        notes={created.notes}
        onCancel={onCancel}
        onOther={() => send({ kind: 'again' })}
        onNext={() => send({ kind: 'notes read' })}
      />
    );
  }
  const toChoose = created && !onlyWay(state) ? created.costs : null;
  const askAgain = () => created && again.mutate(created.id);
  const underWay = shownProgress(state.sending)?.state === 'going';
  return (
    <>
      {toChoose && state.repriced && (
        <p className={styles.lead} role="alert">
          {t(choiceText(toChoose))}
        </p>
      )}
      {toChoose && state.model === humanModel && <p>{t('order.intro', { title: state.title.trim() })}</p>}
      {toChoose ? (
        <Costs costs={toChoose} onChoose={(cost) => send({ kind: 'pay', cost })} onAgain={askAgain} back={null} />
      ) : (
        <p role="status">{underWay ? t('cost.waitingUpload') : t('cost.waiting')}</p>
      )}
      <Actions>
        <CancelButton onCancel={onCancel} />
        {toChoose && <Button onClick={() => send({ kind: 'back' })}>{t('back')}</Button>}
      </Actions>
    </>
  );
}

/** The file has been added before: shows the other recording, and the way on. */
export function Duplicate({
  created: { duplicateUrl, duplicate },
  send,
  onCancel,
}: { created: CreatedView } & Pick<DestinationProps, 'send' | 'onCancel'>) {
  const { t, i18n } = useTranslation('intake');
  if (duplicateUrl === null) return null;
  return (
    <>
      <p className={styles.lead} role="alert">
        {t('duplicate.title')}
      </p>
      {duplicate && (
        <p className={styles.twin}>
          <strong>{duplicate.title}</strong>
          <span>
            {t(duplicate.by === null ? 'duplicate.added' : 'duplicate.addedBy', {
              date: exactDate(new Date(duplicate.addedAt), i18n.language),
              name: duplicate.by ?? '',
            })}
          </span>
        </p>
      )}
      <Link to={duplicateUrl} target="_blank">
        {t('duplicate.open')}
      </Link>
      <Actions>
        <CancelButton onCancel={onCancel} />
        <Button look="primary" onClick={() => send({ kind: 'ignore duplicate' })}>
          {t('duplicate.go')}
        </Button>
      </Actions>
    </>
  );
}
