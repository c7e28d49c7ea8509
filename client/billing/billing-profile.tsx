import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import type { BillingInfo } from '#shared/payments.ts';

import { ApiError, useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { Actions, Form } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import { BillingInfoFields, emptyInfo } from './billing-info.tsx';
import styles from './shop.module.css';
import { useRefreshShop } from './shop-query.ts';

/** Name, address and tax ids of the person's invoices, and their form. */
export function BillingProfile({ stored }: { stored: BillingInfo | null }) {
  const { t } = useTranslation('payments');
  const [editing, setEditing] = useState(false);
  return (
    <section className={styles.shelf}>
      <h2>{t('info.title')}</h2>
      {editing ? (
        <Editing stored={stored} onEnd={() => setEditing(false)} />
      ) : (
        <>
          {stored ? <Stored info={stored} /> : <p className={styles.muted}>{t('info.none')}</p>}
          <Button onClick={() => setEditing(true)}>{t('info.edit')}</Button>
        </>
      )}
    </section>
  );
}

function Stored({ info: { name, address, tax_id_data: taxIds } }: { info: BillingInfo }) {
  const { i18n } = useTranslation();
  const { line1, line2, postal_code, city, state, country } = address;
  const countryName = country && new Intl.DisplayNames(i18n.language, { type: 'region' }).of(country);
  const lines = [name, line1, line2, `${postal_code} ${city}`.trim(), state, countryName ?? ''];
  return (
    <address className={styles.address}>
      {[...lines, ...taxIds.map(({ value }) => value)]
        .filter((line) => line !== '')
        .map((line, nth) => (
          <span key={`${nth} ${line}`}>{line}</span>
        ))}
    </address>
  );
}

function Editing({ stored, onEnd }: { stored: BillingInfo | null; onEnd: () => void }) {
  const { t } = useTranslation('payments');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshShop();
  const [info, setInfo] = useState<BillingInfo>(stored ?? emptyInfo);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => parseResponse(api.billing.profile.$put({ json: info })),
    meta: { quiet: true },
    onSuccess: async () => {
      notify({ type: 'info', message: t('info.saved') });
      await refresh();
      onEnd();
    },
    onError: (failure) => {
      if (failure instanceof ApiError && failure.status === 422) return;
      notify({ message: failureMessage(failure, said) });
    },
  });
  const errors = error instanceof ApiError && error.status === 422 ? error.errors : [];
  return (
    <Form label={t('info.title')} onSubmit={() => !isPending && mutate()}>
      <BillingInfoFields info={info} onChange={setInfo} errors={errors} />
      <Actions>
        <Button look="quiet" onClick={onEnd}>
          {said('cancel')}
        </Button>
        <Button type="submit" look="primary" busy={isPending}>
          {t('info.save')}
        </Button>
      </Actions>
    </Form>
  );
}
