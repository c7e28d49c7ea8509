import { IconAlertCircle } from '@tabler/icons-react';
import { parseResponse } from 'hono/client';
import { useState, type ReactNode } from 'react';

import type { OrderView } from '#shared/orders.ts';

import { useApi } from '../api.ts';
import { clockTime } from '../ui/times.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { RelativeDate } from '../ui/dates.tsx';
import { useTranslation } from '../use-translation.ts';
import { Answer } from './answer.tsx';
import styles from './orders.module.css';
import { useDeed } from './orders-query.ts';
import { Recording } from './recording.tsx';
import { Refuse } from './refuse.tsx';

/** An order with all that a transcriber needs, and the actions on it. */
export function Order({ order }: { order: OrderView }) {
  const { t, i18n } = useTranslation('orders');
  const { id, state, title, lang, duration, speakers, ordered, finished, vocabulary, holder, returned } = order;
  const api = useApi();
  const param = { id };
  const [refusing, setRefusing] = useState(false);
  const take = useDeed(order, () => parseResponse(api.orders[':id'].take.$post({ param })));
  const giveBack = useDeed(order, () => parseResponse(api.orders[':id']['give-back'].$post({ param })));
  const mine = holder?.isMe ?? false;
  const language = new Intl.DisplayNames([i18n.language], { type: 'language' }).of(lang) ?? lang;
  return (
    <article className={styles.order} aria-labelledby={`order-${id}`}>
      <header className={styles.head}>
        <h3 id={`order-${id}`}>{title}</h3>
        <State order={order} />
      </header>
      <dl className={styles.facts}>
        <Fact name={t('language')}>{language}</Fact>
        <Fact name={t('length')}>{duration === null ? t('unknown') : clockTime(duration * 1000)}</Fact>
        <Fact name={t('speakers')}>{speakers === 0 ? t('notSaid') : String(speakers)}</Fact>
        <Fact name={t('ordered')}>
          <RelativeDate at={new Date(ordered)} />
        </Fact>
        {finished !== null && (
          <Fact name={t('finished')}>
            <RelativeDate at={new Date(finished)} />
          </Fact>
        )}
        {finished === null && vocabulary.trim() !== '' && (
          <Fact name={t('words')}>
            <span className={styles.words}>{vocabulary.trim()}</span>
          </Fact>
        )}
      </dl>
      {mine && returned && (
        <p className={styles.warning} role="alert">
          <IconAlertCircle size={18} stroke={1.5} aria-hidden="true" />
          {t('returned')}
        </p>
      )}
      {(state === 'waiting' || (state === 'taken' && mine)) && <Recording id={id} title={title} />}
      {state === 'taken' && mine && <Answer order={order} />}
      {(state === 'waiting' || state === 'taken') && (
        <div className={styles.deeds}>
          {state === 'waiting' && (
            <Button look="primary" busy={take.isPending} onClick={() => take.mutate()}>
              {t('take')}
            </Button>
          )}
          {state === 'taken' && (
            <Button busy={giveBack.isPending} onClick={() => giveBack.mutate()}>
              {mine ? t('giveBack') : t('free')}
            </Button>
          )}
          {(state === 'waiting' || mine) && (
            <Button look="quiet" onClick={() => setRefusing(true)}>
              {t('refuse')}
            </Button>
          )}
        </div>
      )}
      <Refuse order={order} opened={refusing} onClose={() => setRefusing(false)} />
    </article>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function State({ order: { state, holder, refusal } }: { order: OrderView }) {
  const { t } = useTranslation('orders');
  switch (state) {
    case 'waiting':
      return null;
    case 'taken':
      return holder?.isMe ? (
        <Chip tone="accent">{t('mine')}</Chip>
      ) : (
        <Chip>{t('holder', { name: holder?.name ?? '…' })}</Chip>
      );
    case 'delivered':
      return <Chip tone="accent">{holder ? t('deliveredBy', { name: holder.name }) : t('delivered')}</Chip>;
    case 'refused':
      return (
        <>
          <Chip tone="danger">{t('refused')}</Chip>
          {refusal && <span className={styles.quiet}>{t(`reason.${refusal}`)}</span>}
        </>
      );
  }
}
