import { useSetAtom } from 'jotai';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';

import type { DetectionView } from '#shared/ai/suggestions.ts';

import { openPaneAtom } from '../meetings/base/open-pane.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { Button } from '../ui/button.tsx';
import styles from './suggestions.module.css';
import { WhoPays, type usePaying } from './who-pays.tsx';

interface TermsProps extends Pick<ComponentProps<typeof WhoPays>, 'said' | 'onAgain'> {
  model: DetectionView['models'][number];
  /** The owner has allowed that it reads the recording. */
  allowed: boolean;
  paying: ReturnType<typeof usePaying>;
}

/** Tells before a model reads a recording where it is sent, who pays, and who has to allow it. */
export function Terms({ model, allowed, paying, said, onAgain }: TermsProps) {
  const { t } = useTranslation('chat');
  const { about } = useMeeting();
  const words = { host: model.host, owner: about.owner.name };
  return (
    <>
      <p className={styles.hint}>
        {model.local ? t('local', { model: model.title }) : t('sent', { model: model.title, host: model.host })}
      </p>
      <WhoPays {...paying} className={styles.hint} said={said} onAgain={onAgain} />
      {!allowed && <p className={styles.hint}>{t(model.local ? 'consent.missingLocal' : 'consent.missing', words)}</p>}
      {!allowed && !about.permissions.includes('own') && <p className={styles.hint}>{t('consent.askOwner', words)}</p>}
    </>
  );
}

interface StartProps extends Pick<TermsProps, 'allowed' | 'paying'> {
  busy: boolean;
  /** Way back; null where there is none. */
  onClose: (() => void) | null;
}

/** Buttons below the terms; an owner who has not allowed it yet does so in the chat. */
export function Start({ allowed, paying, busy, onClose }: StartProps) {
  const { t } = useTranslation(['suggestions', 'common']);
  const { about } = useMeeting();
  const openPane = useSetAtom(openPaneAtom);
  return (
    <div className={styles.actions}>
      {allowed ? (
        <Button type="submit" look="primary" busy={busy} disabled={!paying.isPossible}>
          {t('start')}
        </Button>
      ) : (
        about.permissions.includes('own') && <Button onClick={() => openPane('chat')}>{t('openChat')}</Button>
      )}
      {onClose && (
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
      )}
    </div>
  );
}
