import { IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { useState } from 'react';

import type { GroupView } from '#shared/groups.ts';

import { Failure } from '../errors/failure.tsx';
import { groupPath } from '../paths.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Bone, PageBones, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { creditsIn } from './credits.ts';
import { GroupDialog } from './group-dialog.tsx';
import { GroupMenu } from './group-menu.tsx';
import { useGroups } from './groups-query.ts';
import styles from './groups.module.css';
import { Mixed } from './mixed.tsx';

/** So many archived teams are shown at once; more stay folded until they are asked for. */
const fewArchived = 3;

/** The person's teams. */
export default function Groups() {
  const ready = useTexts('groups');
  return ready ? <All /> : <PageBones />;
}

function All() {
  const { t } = useTranslation('groups');
  const [adding, setAdding] = useState(false);
  return (
    <>
      <div className={styles.head}>
        <PageTitle lead={t('lead')}>{t('title')}</PageTitle>
        <Button
          look="primary"
          icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}
          onClick={() => setAdding(true)}
        >
          {t('add')}
        </Button>
      </div>
      <Lists />
      <GroupDialog opened={adding} onClose={() => setAdding(false)} />
    </>
  );
}

function Lists() {
  const { t, i18n } = useTranslation('groups');
  const { data: groups, error, refetch } = useGroups();
  const hasTeams = groups?.some(({ type }) => type === 'team');
  const columns: Column<GroupView>[] = [
    {
      id: 'name',
      header: t('column.name'),
      sort: ({ name }) => name,
      cell: ({ name }) => (
        <span className={styles.name}>
          {name} <Mixed name={name} />
        </span>
      ),
    },
    {
      id: 'description',
      header: t('column.description'),
      sort: ({ description }) => description,
      cell: ({ description }) => <span className={styles.description}>{description || '–'}</span>,
    },
    {
      id: 'billing',
      header: t('column.billing'),
      sort: ({ type }) => type,
      cell: ({ type }) => (type === 'team' ? t('yes') : t('no')),
    },
    ...(hasTeams
      ? [
          {
            id: 'balance',
            header: t('column.balance'),
            sort: ({ balance }: GroupView) => Number(balance ?? -1),
            cell: ({ balance }: GroupView) => (balance === null ? '–' : creditsIn(i18n.language, Number(balance))),
            numeric: true,
          },
        ]
      : []),
    {
      id: 'members',
      header: t('column.members'),
      sort: ({ members }) => members,
      cell: ({ members }) => members,
      numeric: true,
    },
    { id: 'role', header: t('column.role'), sort: ({ role }) => role, cell: ({ role }) => t(`role.${role}`) },
    { id: 'actions', header: t('column.actions'), cell: (group) => <GroupMenu group={group} /> },
  ];
  if (!groups)
    return error ? (
      <Failure error={error} onRetry={() => void refetch()} />
    ) : (
      <Waiting label={t('waiting')}>
        <Bone width="60%" height="1.25rem" />
        <Bone width="70%" height="1.25rem" />
      </Waiting>
    );
  const archived = groups.filter((one) => one.archived);
  const shared = { columns, rowKey: ({ id }: GroupView) => id, rowLink: ({ id }: GroupView) => groupPath(id) };
  const order = { column: 'name', descending: false };
  return (
    <div className={styles.lists}>
      {groups.length === 0 ? (
        <div className={styles.empty}>
          <IconUsersGroup size={32} stroke={1.5} aria-hidden="true" />
          <p>{t('empty')}</p>
        </div>
      ) : (
        <Table
          {...shared}
          caption={t('list')}
          rows={groups.filter((one) => !one.archived)}
          empty={t('empty')}
          initialOrder={order}
        />
      )}
      {archived.length > 0 && (
        <details className={styles.archived} open={archived.length <= fewArchived}>
          <summary>
            <h2>{t('archivedTitle')}</h2> <span className={styles.number}>{archived.length}</span>
          </summary>
          <Table {...shared} caption={t('archivedTitle')} rows={archived} empty={t('empty')} initialOrder={order} />
        </details>
      )}
    </div>
  );
}
