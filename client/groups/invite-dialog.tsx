import { IconPlus, IconX } from '@tabler/icons-react';
import {
  useEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react';

import { groupLimits, groupRoles } from '#shared/group-rules.ts';

import { ApiError } from '../api.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmailField, SelectField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useTranslation } from '../use-translation.ts';
import { useFaults, useMemberChanges } from './groups-query.ts';
import styles from './groups.module.css';
import { rowsToSend, splitRow, wrongRows, type InviteRow } from './invite-rows.ts';

interface InviteDialogProps {
  id: string;
  name: string;
  opened: boolean;
  onClose: () => void;
}

export function InviteDialog({ id, name, opened, onClose }: InviteDialogProps) {
  const { t } = useTranslation('groups');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('inviteTitle', { group: name })} size="lg" keepOnBackdrop>
      <Body id={id} name={name} onClose={onClose} />
    </Dialog>
  );
}

function Body({ id, name, onClose }: Omit<InviteDialogProps, 'opened'>) {
  const { t } = useTranslation(['common', 'groups']);
  const list = useRef<HTMLDivElement>(null);
  const edited = useInviteRows(list);
  const { rows, wrong } = edited;
  const { submit, errors, busy } = useSendInvitations(id, edited, onClose);
  return (
    <Form label={t('groups:inviteTitle', { group: name })} errors={errors} onSubmit={submit}>
      <p className={styles.muted}>{t('groups:inviteText')}</p>
      <div ref={list} className={styles.rows}>
        {rows.map(({ key, email, role }, place) => {
          const fault = wrong.get(key);
          return (
            <div key={key} className={styles.row} data-first={place === 0 || undefined} data-wrong={fault && true}>
              <EmailField
                name={`email-${key}`}
                label={t('groups:email')}
                value={email}
                // text, not email: a row may hold several addresses for a moment.
                type="text"
                autoComplete="off"
                error={fault && t(`groups:${fault}`)}
                onChange={(value) => edited.change(key, { email: value })}
                onBlur={(event) => edited.leave(event, key, email)}
                onKeyDown={(event) => edited.enter(event, key)}
                onPaste={(event) => edited.paste(event, key)}
                data-autofocus={place === 0 || undefined}
              />
              <SelectField
                label={t('groups:inviteRole')}
                value={role}
                options={groupRoles.toReversed().map((one) => ({ value: one, label: t(`groups:role.${one}`) }))}
                onChange={(value) => edited.change(key, { role: value === 'admin' ? 'admin' : 'member' })}
              />
              <IconButton
                label={t('groups:removeRow')}
                icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
                disabled={rows.length === 1}
                onClick={() => edited.setRows(rows.filter((row) => row.key !== key))}
              />
            </div>
          );
        })}
      </div>
      <Button
        look="quiet"
        icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}
        onClick={() => edited.addBehind(rows.at(-1)?.key ?? 0)}
      >
        {t('groups:addRow')}
      </Button>
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy}>
          {t('groups:send')}
        </Button>
      </Actions>
    </Form>
  );
}

type Fault = 'missing' | 'noEmail';

/** The rows of the dialog, and what their fields do. */
function useInviteRows(list: RefObject<HTMLDivElement | null>) {
  const [rows, setRows] = useState<readonly InviteRow[]>([{ key: 0, email: '', role: 'member' }]);
  const [wrong, setWrong] = useState<ReadonlyMap<number, Fault>>(new Map());
  const last = useRef(0);
  const fresh = () => (last.current += 1);
  const [focused, setFocused] = useState<number | null>(null);
  useEffect(() => {
    if (focused !== null) list.current?.querySelector<HTMLInputElement>(`[name="email-${focused}"]`)?.focus();
  }, [focused, list]);

  const addBehind = (key: number) => {
    const split = splitRow(rows, key, fresh);
    const made = { key: fresh(), email: '', role: 'member' as const };
    const at = split.length - rows.length + rows.findIndex((row) => row.key === key) + 1;
    setRows(split.toSpliced(at, 0, made));
    setFocused(made.key);
  };
  return {
    rows,
    setRows,
    wrong,
    setWrong,
    setFocused,
    addBehind,
    fresh,
    change(key: number, fields: Partial<InviteRow>) {
      setRows(rows.map((row) => (row.key === key ? { ...row, ...fields } : row)));
      if (wrong.has(key)) setWrong(new Map([...wrong].filter(([one]) => one !== key)));
    },
    enter(event: KeyboardEvent, key: number) {
      if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
      event.preventDefault();
      addBehind(key);
    },
    // Not when a button takes the focus: new rows would move it away from the click. Sending splits the rows as well.
    leave({ relatedTarget }: FocusEvent, key: number, email: string) {
      if (/[,;]/.test(email) && !(relatedTarget instanceof HTMLButtonElement)) setRows(splitRow(rows, key, fresh));
    },
    // A field of one line would join the lines of a pasted list.
    paste(event: ClipboardEvent<HTMLInputElement>, key: number) {
      const pasted = event.clipboardData.getData('text');
      if (!/[,;\n]/.test(pasted)) return;
      event.preventDefault();
      const { value, selectionStart, selectionEnd } = event.currentTarget;
      const before = value.slice(0, selectionStart ?? value.length);
      setRows(splitRow(rows, key, fresh, before + pasted + value.slice(selectionEnd ?? value.length)));
    },
  };
}

function useSendInvitations(id: string, edited: ReturnType<typeof useInviteRows>, onSent: () => void) {
  const { t } = useTranslation('groups');
  const notify = useNotify();
  const say = useFaults();
  const { invite } = useMemberChanges(id);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const { rows, setRows, setWrong, setFocused, fresh } = edited;
  const submit = () => {
    if (invite.isPending) return;
    const wanted = rowsToSend(rows, fresh);
    setRows(wanted);
    const found = wrongRows(wanted);
    setWrong(found);
    setErrors(wanted.length > groupLimits.invites ? [t('tooMany', { most: groupLimits.invites })] : []);
    if (found.size > 0) return setFocused([...found.keys()][0] ?? null);
    if (wanted.length > groupLimits.invites) return undefined;
    return invite.mutate(
      { members: wanted.map(({ email, role }) => ({ email, role })) },
      {
        onSuccess: () => {
          notify({ type: 'info', message: t('invited', { count: wanted.length }) });
          onSent();
        },
        onError: (error) => {
          const named = error instanceof ApiError ? error.errors : [];
          const refused = named.flatMap(({ field }) => wanted[Number(/^members\.(\d+)\./.exec(field)?.[1])] ?? []);
          setWrong(new Map(refused.map(({ key }) => [key, 'noEmail'])));
          if (refused.length === 0) setErrors([say(error)]);
        },
      },
    );
  };
  return { submit, errors, busy: invite.isPending };
}
