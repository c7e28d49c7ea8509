import { IconCopy, IconRefresh } from '@tabler/icons-react';
import { useId, useState } from 'react';

import { roleOf, type Role } from '#shared/roles.ts';
import {
  atLevel,
  copyNoticeMs,
  levelOf,
  linkGrantOf,
  newCode,
  sharingLevels,
  type AclEntry,
  type EntryInput,
} from '#shared/sharing.ts';

import { useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { exactDate } from '../ui/dates.tsx';
import { SelectField, SwitchField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';
import { RoleSelect } from './role-select.tsx';
import styles from './sharing.module.css';

const days = { day: 1, week: 7, month: 30 } as const;

/** The public link: its role, access code and expiry. */
export function LinkPart({
  id,
  entries,
  busy,
  onChange,
}: {
  id: string;
  entries: readonly AclEntry[];
  busy: boolean;
  onChange: (entries: EntryInput[]) => Promise<boolean>;
}) {
  const { t } = useTranslation('sharing');
  const [code, setCode] = useState<string | null>(null);
  const level = levelOf(entries);
  const open = entries.find(({ principal }) => principal.kind === 'anonymous');
  const role: Role = open ? roleOf(open.permissions.filter((one) => one !== 'discover')) : 'canRead';
  const copy = useCopy();
  const discover = useSession().data?.config.discover === true;
  const url = `${window.location.origin}/meeting/${id}`;
  const change = (fields: Partial<EntryInput>) =>
    onChange(entries.map((entry) => (entry === open ? { ...entry, ...fields } : entry)));
  const takeNewCode = async () => {
    const made = newCode();
    if (await change({ code: made })) setCode(made);
  };
  return (
    <section className={styles.part} aria-label={t('link.title')}>
      <h3 className={styles.heading}>{t('link.title')}</h3>
      <SelectField
        label={t('link.level')}
        hint={t(level === 'everyone' && !discover ? 'link.byLinkHint' : `link.${level}Hint`)}
        value={level}
        disabled={busy}
        options={sharingLevels
          .filter((one) => one !== 'everyone' || discover || level === 'everyone')
          .map((one) => ({ value: one, label: t(`link.${one}`) }))}
        onChange={(value) => {
          const wanted = sharingLevels.find((one) => one === value);
          setCode(null);
          if (wanted) void onChange(atLevel(entries, wanted, role));
        }}
      />
      {open && (
        <>
          <p className={styles.sentence}>
            <span>{t(`link.${level}`)}</span>
            <RoleSelect
              framed
              label={t('link.role')}
              value={role}
              without="canEditShare"
              disabled={busy}
              onChange={(wanted) => void change({ permissions: linkGrantOf(wanted, level) })}
            />
          </p>
          {role === 'canEdit' && (
            <p className={styles.warning} role="note">
              {t('link.warning')}
            </p>
          )}
        </>
      )}
      <div className={styles.copying}>
        <input className={styles.input} readOnly value={url} aria-label={t('link.address')} dir="ltr" />
        <Button
          icon={<IconCopy size={18} stroke={1.5} aria-hidden="true" />}
          onClick={() => void copy(url, t('link.copied', { who: t(`link.${level}`) }))}
        >
          {t('link.copy')}
        </Button>
      </div>
      {open && (
        <>
          <SwitchField
            label={t('link.code')}
            hint={open.code ? t('link.codeSet') : t('link.codeHint')}
            checked={open.code ?? false}
            disabled={busy}
            onChange={(on) => {
              setCode(null);
              if (on) void takeNewCode();
              else void change({ code: null });
            }}
          />
          {open.code === true && (
            <div className={styles.code} role="status">
              {code === null ? (
                <Button
                  look="quiet"
                  icon={<IconRefresh size={18} stroke={1.5} aria-hidden="true" />}
                  busy={busy}
                  onClick={() => void takeNewCode()}
                >
                  {t('link.newCode')}
                </Button>
              ) : (
                <>
                  <p className={styles.hint}>{t('link.yourCode')}</p>
                  <p className={styles.copying}>
                    <code className={styles.letters}>{code}</code>
                    <Button
                      icon={<IconCopy size={18} stroke={1.5} aria-hidden="true" />}
                      onClick={() => void copy(code, t('link.copiedCode'))}
                    >
                      {t('link.copyCode')}
                    </Button>
                  </p>
                </>
              )}
            </div>
          )}
          <End expires={open.expires ?? null} busy={busy} onChange={(expires) => void change({ expires })} />
        </>
      )}
    </section>
  );
}

function End({
  expires,
  busy,
  onChange,
}: {
  expires: string | null;
  busy: boolean;
  onChange: (expires: string | null) => void;
}) {
  const { t, i18n } = useTranslation('sharing');
  const id = useId();
  // Read once while drawing: the list of times need not tick.
  const [now] = useState(() => Date.now());
  const date = expires === null ? null : new Date(expires);
  const known =
    date === null
      ? []
      : [
          {
            value: 'set',
            label: t(date.getTime() > now ? 'link.until' : 'link.ended', { date: exactDate(date, i18n.language) }),
          },
        ];
  return (
    <SelectField
      id={id}
      label={t('link.ends')}
      value={date === null ? 'never' : 'set'}
      disabled={busy}
      options={[
        { value: 'never', label: t('link.never') },
        ...known,
        ...(['day', 'week', 'month'] as const).map((one) => ({ value: one, label: t(`link.${one}`) })),
      ]}
      onChange={(value) => {
        if (value === 'never') onChange(null);
        else if (value === 'day' || value === 'week' || value === 'month')
          onChange(new Date(Date.now() + days[value] * 86_400_000).toISOString());
      }}
    />
  );
}

function useCopy(): (text: string, told: string) => Promise<void> {
  const { t } = useTranslation('common');
  const notify = useNotify();
  return async (text, told) => {
    try {
      await navigator.clipboard.writeText(text);
      notify({ type: 'info', message: told, duration: copyNoticeMs });
    } catch {
      notify({ message: t('somethingWrong') });
    }
  };
}
