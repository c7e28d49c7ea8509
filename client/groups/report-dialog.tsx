import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { inFileName } from '#shared/csv.ts';
import type { GroupView } from '#shared/groups.ts';

import { ApiError, useApi } from '../api.ts';
import { today } from '../today.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { saveFile } from '../ui/save-file.ts';
import { useTranslation } from '../use-translation.ts';
import { useFaults } from './groups-query.ts';
import styles from './groups.module.css';

interface ReportDialogProps {
  group: Pick<GroupView, 'id' | 'name'>;
  opened: boolean;
  onClose: () => void;
}

/** Downloads what a team paid for between two days. */
export function ReportDialog({ group, opened, onClose }: ReportDialogProps) {
  const { t } = useTranslation('groups');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('report.title')} size="md" keepOnBackdrop>
      <Body group={group} onClose={onClose} />
    </Dialog>
  );
}

/** Days of the report are those in UTC, where tomorrow may have begun: what was paid for there belongs to the month so far. */
function lastDay(): string {
  const [mine, utc] = [today(), new Date().toISOString().slice(0, 10)];
  return mine > utc ? mine : utc;
}

function Body({ group: { id, name }, onClose }: Omit<ReportDialogProps, 'opened'>) {
  const { t } = useTranslation(['common', 'groups']);
  const api = useApi();
  const say = useFaults();
  // This month so far.
  const [from, setFrom] = useState(() => `${today().slice(0, 8)}01`);
  const [to, setTo] = useState(lastDay);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const download = useMutation({
    mutationFn: async () =>
      (
        await api.groups[':id']['activity-report'].$get({ param: { id }, query: { fromDate: from, toDate: to } })
      ).blob(),
    meta: { quiet: true },
    onSuccess: (file) => {
      saveFile(file, `${inFileName(name)}_${from}_${to}.csv`);
      onClose();
    },
    onError: (error) => {
      if (!(error instanceof ApiError && error.status === 401)) setErrors([say(error)]);
    },
  });
  const wrong = { from: from === '', to: to === '' || (from !== '' && to < from) };
  const submit = () => {
    if (download.isPending) return;
    const faults = [
      ...(wrong.from || to === '' ? [t('groups:fault.date')] : []),
      ...(to !== '' && wrong.to ? [t('groups:fault.date_order')] : []),
    ];
    setErrors(faults);
    if (faults.length === 0) download.mutate();
  };
  return (
    <Form label={t('groups:report.title')} errors={errors} onSubmit={submit}>
      <p className={styles.muted}>{t('groups:report.lead')}</p>
      <div className={styles.pairs}>
        <TextField
          type="date"
          name="fromDate"
          label={t('groups:report.from')}
          value={from}
          max={to}
          onChange={setFrom}
          required
          data-autofocus
        />
        <TextField
          type="date"
          name="toDate"
          label={t('groups:report.to')}
          value={to}
          min={from}
          onChange={setTo}
          required
        />
      </div>
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={download.isPending}>
          {t('groups:report.download')}
        </Button>
      </Actions>
    </Form>
  );
}
