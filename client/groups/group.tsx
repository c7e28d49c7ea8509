import {
  IconArrowLeft,
  IconCoins,
  IconListCheck,
  IconMailForward,
  IconReport,
  IconUserPlus,
  IconX,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';

import { groupRoles } from '#shared/group-rules.ts';
import type { GroupDetail, MemberView } from '#shared/groups.ts';

import { ApiError } from '../api.ts';
import { TransferDialog } from '../billing/transfer-dialog.tsx';
import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { fullName, useSession } from '../session.ts';
import { useConfirm } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { CompetenciesDialog } from './competencies-dialog.tsx';
import { creditsIn } from './credits.ts';
import { GroupMenu } from './group-menu.tsx';
import { useGroup, useMemberChanges } from './groups-query.ts';
import styles from './groups.module.css';
import { InviteDialog } from './invite-dialog.tsx';
import { Mixed } from './mixed.tsx';
import { PayerCell, PayerNote } from './payer-cell.tsx';
import { QuotaField } from './quota-field.tsx';
import { ReportDialog } from './report-dialog.tsx';

/** A team and its members. */
export default function Group() {
  const { id = '' } = useParams();
  const ready = useTexts('groups');
  const readyToo = useTexts('billing');
  return ready && readyToo ? <One key={id} id={id} /> : <PageBones />;
}

function One({ id }: { id: string }) {
  const { t } = useTranslation('groups');
  const { data: group, error, refetch } = useGroup(id);
  if (error instanceof ApiError && error.status === 403)
    return (
      <>
        <PageTitle>{t('closedTitle')}</PageTitle>
        <Empty title={t('closedTitle')} action={<ButtonLink to={paths.teams}>{t('back')}</ButtonLink>}>
          {t('closedText')}
        </Empty>
      </>
    );
  if (!group) return error ? <Failure page error={error} onRetry={() => void refetch()} /> : <PageBones />;
  return <Known group={group} />;
}

function Known({ group }: { group: GroupDetail }) {
  const { t } = useTranslation('groups');
  const navigate = useNavigate();
  const [open, setOpen] = useState<'invite' | 'competencies' | 'report' | null>(null);
  const close = () => setOpen(null);
  const { id, name, description, role, archived, members } = group;
  const admin = role === 'admin';
  const type = useSession().data?.account_types.find(({ active }) => active);
  const coaches = type?.id === 'coach' && type.models.length > 0;
  return (
    <>
      <Link className={styles.back} to={paths.teams}>
        <IconArrowLeft size={18} stroke={1.5} aria-hidden="true" />
        {t('back')}
      </Link>
      <div className={styles.head}>
        <PageTitle lead={description === '' ? undefined : <span className={styles.description}>{description}</span>}>
          {name}
        </PageTitle>
        <span className={styles.actions}>
          <GroupMenu group={group} onGone={() => void navigate(paths.teams)} />
          {admin && group.type === 'team' && (
            <Button icon={<IconReport size={18} stroke={1.5} aria-hidden="true" />} onClick={() => setOpen('report')}>
              {t('report.open')}
            </Button>
          )}
          {admin && !archived && coaches && (
            <Button
              icon={<IconListCheck size={18} stroke={1.5} aria-hidden="true" />}
              onClick={() => setOpen('competencies')}
            >
              {t('competencies.open')}
            </Button>
          )}
          {admin && !archived && (
            <Button
              look="primary"
              icon={<IconUserPlus size={18} stroke={1.5} aria-hidden="true" />}
              onClick={() => setOpen('invite')}
            >
              {t('invite')}
            </Button>
          )}
        </span>
      </div>
      <Mixed name={name} />
      {archived && (
        <p className={styles.note} role="note">
          {t('isArchived')}
        </p>
      )}
      <PayerNote group={group} />
      <Members group={group} />
      {admin && !archived && members.length === 1 && <p className={styles.none}>{t('noMembers')}</p>}
      <InviteDialog id={id} name={name} opened={open === 'invite'} onClose={close} />
      <ReportDialog group={group} opened={open === 'report'} onClose={close} />
      <CompetenciesDialog group={group} opened={open === 'competencies'} onClose={close} />
    </>
  );
}

function Members({ group }: { group: GroupDetail }) {
  const { id, role, archived, members } = group;
  const { t, i18n } = useTranslation('groups');
  const confirm = useConfirm();
  const me = useSession().data?.principal.id;
  const { again, change, remove, busy } = useMemberChanges(id);
  const [given, setGiven] = useState<{ name: string; email: string } | null>(null);
  const { t: money } = useTranslation('billing');
  const admin = role === 'admin';
  const named = (one: MemberView) => (one.kind === 'pending' ? one.email : fullName(one));
  const ask = async (one: MemberView) => {
    const who = named(one);
    const sure = await confirm({
      title: t('sure.remove'),
      text: one.kind === 'pending' ? t('sure.takeBack', { name: who }) : t('sure.removeText', { name: who }),
      action: t('sure.removeAction'),
      danger: true,
    });
    if (sure) remove.mutate({ member: one.id, name: who });
  };
  const leftOf = (quota: number, used: number) =>
    t('quota.left', { left: creditsIn(i18n.language, quota - used), total: creditsIn(i18n.language, quota) });
  const columns: Column<MemberView>[] = [
    {
      id: 'name',
      header: t('column.person'),
      sort: (one) => (one.kind === 'pending' ? t(one.declined ? 'declined' : 'awaiting') : fullName(one)),
      cell: (one) =>
        one.kind === 'pending' ? (
          <span className={styles.awaiting}>{t(one.declined ? 'declined' : 'awaiting')}</span>
        ) : one.id === me ? (
          t('you', { name: fullName(one) })
        ) : (
          fullName(one)
        ),
    },
    {
      id: 'email',
      header: t('column.email'),
      sort: ({ email }) => email,
      cell: ({ email }) => (
        <span className={styles.email} dir="ltr">
          {email.slice(0, email.lastIndexOf('@'))}
          <wbr />
          {email.slice(email.lastIndexOf('@'))}
        </span>
      ),
    },
    {
      id: 'role',
      header: t('column.memberRole'),
      sort: (one) => groupRoles.indexOf(one.role),
      cell: (one) =>
        admin && !archived ? (
          <select
            className={styles.select}
            aria-label={t('roleOf', { name: named(one) })}
            value={one.role}
            disabled={busy}
            onChange={({ currentTarget: { value } }) => {
              const wanted = groupRoles.find((known) => known === value) ?? 'member';
              change(one.id, wanted, t('roleChanged', { name: named(one), role: t(`role.${wanted}`) }));
            }}
          >
            {groupRoles.map((known) => (
              <option key={known} value={known}>
                {t(`role.${known}`)}
              </option>
            ))}
          </select>
        ) : (
          t(`role.${one.role}`)
        ),
    },
    ...(group.type === 'team'
      ? [
          {
            id: 'quota',
            header: t('column.quota'),
            sort: ({ quota }: MemberView) => quota ?? Infinity,
            cell: (one: MemberView) =>
              admin && !archived ? (
                <QuotaField id={id} member={one} name={named(one)} />
              ) : one.used === undefined ? (
                '–'
              ) : (
                <span className={styles.quota}>
                  {one.quota == null ? t('quota.none') : leftOf(one.quota, one.used)}
                  <span className={styles.quotaState}>
                    {t('quota.used', { used: creditsIn(i18n.language, one.used) })}
                  </span>
                </span>
              ),
          },
          {
            id: 'payer',
            header: t('column.payer'),
            sort: ({ payer }: MemberView) => Number(!payer),
            cell: (one: MemberView) => <PayerCell group={group} member={one} name={named(one)} />,
          },
        ]
      : []),
    ...(admin
      ? [
          {
            id: 'actions',
            header: t('column.actions'),
            cell: (one: MemberView) => (
              <span className={styles.controls}>
                {one.kind === 'pending' && !archived && (
                  <IconButton
                    label={t('again', { name: one.email })}
                    icon={<IconMailForward size={18} stroke={1.5} aria-hidden="true" />}
                    disabled={busy}
                    onClick={() => again(one, t('wroteAgain', { name: one.email }))}
                  />
                )}
                {!archived && (
                  <IconButton
                    label={money('transfer.of', { name: named(one) })}
                    icon={<IconCoins size={18} stroke={1.5} aria-hidden="true" />}
                    disabled={one.kind === 'pending' || one.id === me}
                    onClick={() => setGiven({ name: named(one), email: one.email })}
                  />
                )}
                {one.id !== me && (
                  <IconButton
                    label={t('remove', { name: named(one) })}
                    icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
                    disabled={busy}
                    onClick={() => void ask(one)}
                  />
                )}
              </span>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <Table
        caption={t('members')}
        columns={columns}
        rows={members}
        rowKey={(one) => one.id}
        empty={t('noMembers')}
        initialOrder={{ column: 'role', descending: false }}
      />
      {given && <TransferDialog to={given} opened onClose={() => setGiven(null)} />}
    </>
  );
}
