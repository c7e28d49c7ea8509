import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useRefusedText } from '../use-refused-text.ts';
import { Aside } from './aside.tsx';
import styles from './peer.module.css';

interface JoinProps {
  meetingId: string;
  reviewId: string;
  of: string | null;
  /** Adds oneself at once; others ask the leader. */
  owns?: boolean;
  onJoined: () => void;
}

/** For people without a part: adds who owns the recording, and asks the leader for others, whether there is such a review or not. */
export function Join({ meetingId, reviewId, of, owns = false, onJoined }: JoinProps) {
  const { t } = useTranslation(['assessment', 'document']);
  const refusedText = useRefusedText();
  const api = useApi();
  const join = useMutation({
    mutationFn: () =>
      parseResponse(
        api.meetings[':id'].reviews[':reviewId'].join.$post({
          param: { id: meetingId, reviewId },
          json: { role: 'optional' },
        }),
      ),
    meta: { quiet: true },
    onSuccess: ({ joined }) => joined && onJoined(),
  });
  const back = <ButtonLink to={paths.home}>{t('document:back')}</ButtonLink>;
  const action = (
    <div className={styles.join}>
      {join.isSuccess ? (
        <p role="status">{t('none.asked')}</p>
      ) : (
        <Button look="primary" busy={join.isPending} onClick={() => join.mutate()}>
          {t(owns ? 'none.add' : 'none.ask')}
        </Button>
      )}
      {join.error && (
        <p role="alert" className={styles.error}>
          {refusedText(join.error)}
        </p>
      )}
      {back}
    </div>
  );
  return (
    <Aside title={t('none.title')} of={of} action={action}>
      {t(owns ? 'none.own' : 'none.text')}
    </Aside>
  );
}
