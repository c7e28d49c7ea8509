import type { GroupDetail, MemberView } from '#shared/groups.ts';

import { useSession } from '../session.ts';
import { useConfirm } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { useTranslation } from '../use-translation.ts';
import { useMemberChanges } from './groups-query.ts';
import styles from './groups.module.css';

/** Names the payer of a team, after a question. */
function usePayer(group: Pick<GroupDetail, 'id' | 'name'>) {
  const { t } = useTranslation('groups');
  const confirm = useConfirm();
  const { pay, busy } = useMemberChanges(group.id);
  return {
    busy,
    /** The caller pays from now on. */
    async take(me: string) {
      const { name } = group;
      const sure = await confirm({
        title: t('payer.sure', { name }),
        text: t('payer.sureText'),
        action: t('payer.sureAction'),
      });
      if (sure) pay.mutate({ payer: me, said: t('payer.nowYou') });
    },
    async ask(member: string, name: string) {
      const sure = await confirm({
        title: t('payer.sureAsk', { name }),
        text: t('payer.sureAskText', { name }),
        action: t('payer.sureAskAction'),
      });
      if (sure) pay.mutate({ payer: member, said: t('payer.asking', { name }) });
    },
  };
}

interface PayerCellProps {
  group: GroupDetail;
  member: MemberView;
  name: string;
}

/** Whether a member pays, with the change of it: only admins can pay, and the payer is replaced, not unset. */
export function PayerCell({ group, member, name }: PayerCellProps) {
  const { t } = useTranslation('groups');
  const me = useSession().data?.principal.id;
  const { take, ask, busy } = usePayer(group);
  if (member.payer) return <Chip tone="accent">{t('payer.current')}</Chip>;
  const asked = group.askedPayer?.id === member.id;
  const mine = member.id === me;
  const changes = group.role === 'admin' && !group.archived && member.kind === 'user' && member.role === 'admin';
  if (!changes) return t('no');
  if (asked && !mine) return <Chip>{t('payer.asked')}</Chip>;
  return (
    <Button
      look="quiet"
      disabled={busy}
      aria-label={mine ? t('payer.take') : t('payer.ask', { name })}
      onClick={() => void (mine ? take(member.id) : ask(member.id, name))}
    >
      {mine ? t('payer.accept') : t('payer.askShort')}
    </Button>
  );
}

/** Above the members: who pays, and the question whether one does from now on. */
export function PayerNote({ group }: { group: GroupDetail }) {
  const { t } = useTranslation('groups');
  const me = useSession().data?.principal.id;
  const { take, busy } = usePayer(group);
  if (group.type !== 'team' || group.archived || typeof me !== 'string') return null;
  const asked = group.askedPayer?.id === me;
  if (!asked && group.payer) return null;
  const may = group.role === 'admin';
  return (
    <div role="note" className={styles.payerNote}>
      <p>{asked ? t('payer.youAsked') : t('payer.none')}</p>
      {may && (
        <Button look={asked ? 'primary' : 'plain'} disabled={busy} onClick={() => void take(me)}>
          {t('payer.take')}
        </Button>
      )}
    </div>
  );
}
