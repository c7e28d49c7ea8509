import { IconDownload, IconReceipt } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router-dom';

import { transactionKinds, transactionsPage, type TransactionKind, type TransactionView } from '#shared/billing.ts';

import { Failure } from '../errors/failure.tsx';
import { groupPath, paths } from '../paths.ts';
import { useTexts } from '../texts.ts';
import { Empty } from '../ui/empty.tsx';
import { exactDate } from '../ui/dates.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Bone, PageBones, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { useAmounts } from './amounts.ts';
import { useBalance, useTransactions } from './balance-query.ts';
import styles from './billing.module.css';
import { PracticeNote } from './mode-banner.tsx';
import { useReservedText } from './reserved.ts';

const isKind = (kind: string): kind is TransactionKind => transactionKinds.some((one) => one === kind);

/** Kinds of payments that were received, and have a receipt. */
const withReceipt: ReadonlySet<string> = new Set(['purchase', 'period']);

/** All that was added to the balance and taken from it. */
export default function Transactions() {
  const ready = useTexts('billing');
  return ready ? <Page /> : <PageBones />;
}

function Page() {
  const { t } = useTranslation('billing');
  const [query, setQuery] = useSearchParams();
  const page = Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1);
  const { data, error, refetch } = useTransactions(page - 1, transactionsPage);
  const reserved = useReservedText()(useBalance().data);
  return (
    <>
      <div className={styles.head}>
        <PageTitle>{t('transactions.title')}</PageTitle>
        {data !== undefined && data.total > 0 && (
          <a className={styles.download} href="/api/transactions.csv" download="transactions.csv">
            <IconDownload size={18} stroke={1.5} aria-hidden="true" />
            {t('transactions.download')}
          </a>
        )}
      </div>
      <PracticeNote />
      {/* Work under way is no transaction yet: it becomes one when it is paid, and none when everything is returned. */}
      <p className={styles.reserved} role="status">
        {reserved}
      </p>
      {data ? (
        data.total === 0 ? (
          <Empty title={t('transactions.empty')} icon={<IconReceipt size={32} stroke={1.5} />}>
            {t('transactions.emptyText')}
          </Empty>
        ) : (
          <div className={styles.parts}>
            {data.transactions.length > 0 ? (
              <List rows={data.transactions} />
            ) : (
              <p>
                {t('transactions.noPage')} <Link to={paths.transactions}>{t('transactions.first')}</Link>
              </p>
            )}
            <Pagination
              page={page}
              total={Math.ceil(data.total / transactionsPage)}
              onChange={(to) => setQuery(to === 1 ? {} : { page: String(to) })}
            />
          </div>
        )
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Waiting label={t('transactions.waiting')}>
          <Bone width="80%" height="1.25rem" />
          <Bone width="70%" height="1.25rem" />
        </Waiting>
      )}
    </>
  );
}

function List({ rows }: { rows: readonly TransactionView[] }) {
  const { t, i18n } = useTranslation('billing');
  const { money, minutes, date } = useAmounts();
  const columns: Column<TransactionView>[] = [
    {
      id: 'date',
      header: t('transactions.column.date'),
      cell: ({ date: at }) => (
        <time dateTime={new Date(at).toISOString()} title={exactDate(new Date(at), i18n.language)}>
          {date(at)}
        </time>
      ),
    },
    {
      id: 'usd',
      header: t('transactions.column.usd'),
      cell: ({ balance }) =>
        Number(balance) === 0 ? '–' : <Signed amount={Number(balance)}>{money(balance, { signed: true })}</Signed>,
      numeric: true,
    },
    {
      id: 'minutes',
      header: t('transactions.column.minutes'),
      cell: ({ freeMinutes, professionalMinutes }) => (
        <span className={styles.minutes}>
          {freeMinutes !== 0 && (
            <Signed amount={freeMinutes}>
              {t('transactions.free', { minutes: minutes(freeMinutes, { signed: true }) })}
            </Signed>
          )}
          {professionalMinutes !== 0 && (
            <Signed amount={professionalMinutes}>
              {t('transactions.paid', { minutes: minutes(professionalMinutes, { signed: true }) })}
            </Signed>
          )}
          {freeMinutes === 0 && professionalMinutes === 0 && '–'}
        </span>
      ),
      numeric: true,
    },
    {
      id: 'document',
      header: t('transactions.column.document'),
      cell: ({ meetingId, meetingName, folder }) =>
        folder !== null ? (
          <Link to={`${paths.home}?sfid=${folder.id}`}>{folder.name}</Link>
        ) : meetingId === null ? (
          '–'
        ) : (
          <Link to={`/meeting/${meetingId}`}>{meetingName || t('transactions.untitled')}</Link>
        ),
    },
    {
      id: 'uploader',
      header: t('transactions.column.uploader'),
      cell: ({ uploader, groupId, organizationName }) => (
        <span className={styles.uploader}>
          <span>{uploader ?? '–'}</span>
          {groupId !== null && <Link to={groupPath(groupId)}>{organizationName}</Link>}
        </span>
      ),
    },
    {
      id: 'details',
      header: t('transactions.column.details'),
      cell: ({ kind, note }) => (
        <span>
          {t(`transactions.kind.${isKind(kind) ? kind : 'other'}`)}
          {note !== null && <span className={styles.note}>{note}</span>}
        </span>
      ),
    },
    {
      id: 'receipt',
      header: t('transactions.column.receipt'),
      cell: ({ kind, paymentId, date: at }) =>
        paymentId === null || !withReceipt.has(kind) ? (
          '–'
        ) : (
          <a
            href={`/api/transactions/receipt/${encodeURIComponent(paymentId)}`}
            target="_blank"
            rel="noreferrer"
            aria-label={t('transactions.receiptOf', { date: date(at) })}
          >
            {t('transactions.receipt')}
          </a>
        ),
    },
  ];
  return (
    <Table
      caption={t('transactions.list')}
      columns={columns}
      rows={rows}
      rowKey={({ nth }) => String(nth)}
      empty={t('transactions.empty')}
    />
  );
}

/** An amount in the colour of its sign, which the text has, too. */
function Signed({ amount, children }: { amount: number; children: string }) {
  return (
    <span className={styles.signed} data-sign={Math.sign(amount)}>
      {children}
    </span>
  );
}
