import { IconHeadphonesOff, IconListCheck } from '@tabler/icons-react';

import type { OrderView } from '#shared/orders.ts';

import { ApiError } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { Empty } from '../ui/empty.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { Order } from './order.tsx';
import { useOrders } from './orders-query.ts';
import styles from './orders.module.css';

/** The orders for human transcripts. */
export default function Orders() {
  const ready = [useTexts('orders'), useTexts('intake')].every(Boolean);
  return ready ? <Queue /> : <PageBones />;
}

function Queue() {
  const { t } = useTranslation('orders');
  const { data: orders, error, refetch } = useOrders();
  if (error instanceof ApiError && error.status === 403) {
    return (
      <>
        <PageTitle>{t('title')}</PageTitle>
        <Empty title={t('closedTitle')} icon={<IconHeadphonesOff size={32} stroke={1.5} />}>
          {t('closedText')}
        </Empty>
      </>
    );
  }
  if (!orders) return error ? <Failure error={error} onRetry={() => void refetch()} page /> : <PageBones />;
  const of = (...states: OrderView['state'][]) => orders.filter(({ state }) => states.includes(state));
  const taken = of('taken').toSorted((a, b) => Number(b.holder?.isMe) - Number(a.holder?.isMe));
  const done = of('delivered', 'refused').toSorted((a, b) => (b.finished ?? 0) - (a.finished ?? 0));
  return (
    <>
      <PageTitle lead={t('lead')}>{t('title')}</PageTitle>
      {orders.length === 0 ? (
        <Empty title={t('emptyTitle')} icon={<IconListCheck size={32} stroke={1.5} />}>
          {t('emptyText')}
        </Empty>
      ) : (
        <div className={styles.parts}>
          {taken.length > 0 && <Part title={t('taken')} orders={taken} />}
          <Part title={t('waiting')} orders={of('waiting')} none={t('noneWaiting')} />
          {done.length > 0 && <Part title={t('done')} orders={done} />}
        </div>
      )}
    </>
  );
}

function Part({ title, orders, none }: { title: string; orders: readonly OrderView[]; none?: string }) {
  return (
    <section className={styles.part}>
      <h2>{title}</h2>
      {orders.length === 0 && <p className={styles.quiet}>{none}</p>}
      <ul className={styles.list}>
        {orders.map((order) => (
          <li key={order.id}>
            <Order order={order} />
          </li>
        ))}
      </ul>
    </section>
  );
}
