import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { refusals, type OrderView, type Refusal } from '#shared/orders.ts';

import { useApi } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import { useDeed } from './orders-query.ts';

/** Refuses an order; its owner gets the chosen reason in their own language. */
export function Refuse({ order, opened, onClose }: { order: OrderView; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('orders');
  const api = useApi();
  const [reason, setReason] = useState<Refusal>('inaudible');
  const refuse = useDeed(order, () =>
    parseResponse(api.orders[':id'].refuse.$post({ param: { id: order.id }, json: { reason } })),
  );
  return (
    <Dialog opened={opened} onClose={onClose} title={t('refuseTitle')} size="sm">
      <Form
        onSubmit={() => {
          onClose();
          refuse.mutate();
        }}
      >
        <p>{t('refuseText')}</p>
        <Choices
          label={t('reasonLabel')}
          choices={refusals.map((value) => ({ value, label: t(`reason.${value}`) }))}
          value={reason}
          onChange={(value) => setReason(value as Refusal)}
        />
        <Actions>
          <Button look="quiet" onClick={onClose}>
            {t('keep')}
          </Button>
          <Button type="submit" look="danger">
            {t('refuseAction')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
