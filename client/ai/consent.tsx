import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';

import type { AssistantView, ConsentInput } from '#shared/ai/views.ts';

import { useApi } from '../api.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './chat-pane.module.css';

/** Sets where the open recording may be sent; everything that depends on it is looked at again. */
export function useAllow() {
  const api = useApi();
  const { id } = useMeeting().about;
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (json: Pick<ConsentInput, 'consent' | 'all'> & { host?: string }) =>
      api.meetings[':id'].ai.$put({ param: { id }, json }),
    onSettled: () =>
      Promise.all(['chat', 'detection', 'drafts'].map((key) => queries.invalidateQueries({ queryKey: [key, id] }))),
  });
}

interface ConsentProps {
  model: AssistantView;
  /** Shown between the question and its answers. */
  children?: ReactNode;
  /** Gives the focus a place, as the buttons are gone. */
  onAllowed: () => void;
  /** Takes the focus when asking has been turned off. */
  section?: RefObject<HTMLElement | null>;
}

/** The owner decides whether a recording leaves; everybody else is told whom to ask. */
export function Consent({ model, children, onAllowed, section }: ConsentProps) {
  const { t } = useTranslation('chat');
  const { about } = useMeeting();
  const allow = useAllow();
  const words = { host: model.host, owner: about.owner.name };
  if (!about.permissions.includes('own'))
    return (
      <section className={styles.consent}>
        <p>{t(model.local ? 'consent.missingLocal' : 'consent.missing', words)}</p>
        <p className={styles.hint}>{t('consent.askOwner', words)}</p>
      </section>
    );
  const set = async (all: boolean) => {
    await allow.mutateAsync(model.local ? { consent: 'local', all } : { consent: 'host', host: model.host, all });
    // After the new look at the consent, so that the next field is drawn already.
    onAllowed();
  };
  // A failure has its notice.
  const press = (all: boolean) => void set(all).catch(() => {});
  return (
    <section ref={section} tabIndex={-1} className={styles.consent}>
      <p>{t(model.local ? 'consent.questionLocal' : 'consent.question', words)}</p>
      {children}
      <div className={styles.actions}>
        <Button look="primary" busy={allow.isPending} onClick={() => press(false)}>
          {t('consent.allow')}
        </Button>
        <Button busy={allow.isPending} onClick={() => press(true)}>
          {t('consent.allowAll')}
        </Button>
      </div>
    </section>
  );
}
