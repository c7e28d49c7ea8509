import { IconX } from '@tabler/icons-react';
import { useState } from 'react';

import { historyChoices, roleOf, type HistoryNeeds, type Role } from '#shared/roles.ts';
import {
  grantOf,
  type AccessRequest,
  type AclEntry,
  type EntryInput,
  type InheritedEntry,
  type SharingView,
} from '#shared/sharing.ts';

import { useAmounts } from '../billing/amounts.ts';
import { Failure } from '../errors/failure.tsx';
import { fullName, useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { personKey } from '../ui/person-key.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { AddPeople } from './add-people.tsx';
import { GroupMark } from './group-mark.tsx';
import { LinkPart } from './link-part.tsx';
import { RoleSelect } from './role-select.tsx';
import { isAddressOf, keyOfEntry, useAnswerRequest, useShare, useSharing, type Shared } from './sharing-query.ts';
import { useTypedAddress } from './typed-address.ts';
import styles from './sharing.module.css';

interface ShareDialogProps {
  shared: Shared;
  title: string;
  opened: boolean;
  onClose: () => void;
}

/** Roles on a recording or folder; each change is saved at once. */
export default function ShareDialog({ shared, title, opened, onClose }: ShareDialogProps) {
  const ready = useTexts('sharing');
  const { t } = useTranslation('sharing');
  const notify = useNotify();
  const [typed] = useTypedAddress(shared);
  const close = () => {
    if (typed.trim() !== '') notify({ type: 'info', message: t('add.left', { typed: typed.trim() }) });
    onClose();
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      help="share"
      size="lg"
      keepOnBackdrop
      room="43.5rem"
      title={ready ? t(shared.folder ? 'folderTitle' : 'title', { title: title || t('untitled') }) : title}
    >
      {ready ? <Sharing shared={shared} /> : <Bones />}
    </Dialog>
  );
}

function Bones({ label }: { label?: string }) {
  return (
    <Waiting {...(label !== undefined && { label })}>
      <div className={styles.bones}>
        <Bone height="2.25rem" />
        <Bone width="60%" />
        <Bone width="70%" />
        <Bone width="50%" />
      </div>
    </Waiting>
  );
}

function Sharing({ shared }: { shared: Shared }) {
  const { t } = useTranslation('sharing');
  const { data, error, refetch, isPlaceholderData } = useSharing(shared);
  if (error && (!data || isPlaceholderData)) return <Failure error={error} onRetry={() => void refetch()} />;
  return data ? <Known shared={shared} known={data} placeholder={isPlaceholderData} /> : <Bones label={t('waiting')} />;
}

function Known({ shared, known, placeholder }: { shared: Shared; known: SharingView; placeholder: boolean }) {
  const { t } = useTranslation('sharing');
  const { id, folder } = shared;
  const share = useShare(shared);
  const typing = useTypedAddress(shared);
  const nameOf = useNames();
  const { money } = useAmounts();
  const [told, setTold] = useState('');
  // Sent again, an entry that was declined would invite anew.
  const [removed, setRemoved] = useState<{ name: string; before: AclEntry[] | null; version: number } | null>(null);
  const busy = share.isPending || placeholder;
  const { entries } = known.acl;
  const send = async (wanted: readonly EntryInput[]): Promise<boolean> => {
    if (busy) return false;
    setRemoved(null);
    try {
      await share.mutateAsync({ entries: wanted, version: known.version });
      return true;
    } catch {
      // `share` has shown the failure already.
      return false;
    }
  };
  const remove = async (entry: AclEntry) => {
    const name = nameOf(entry);
    const before = entry.declined ? null : entries;
    try {
      const { version } = await share.mutateAsync({
        entries: entries.filter((one) => one !== entry),
        version: known.version,
        removes: name,
      });
      setRemoved({ name, before, version });
    } catch {
      // `share` has shown the failure already.
    }
  };
  return (
    <div className={styles.sharing}>
      <AddPeople
        entries={entries}
        ownerId={known.owner.id}
        busy={busy}
        typing={typing}
        onAdd={async (entry, name, invited) => {
          // A person who declined is in the list already.
          const { email } = entry.principal;
          const others = entries.filter(
            ({ principal, declined }) => !(declined && email && isAddressOf(principal, email)),
          );
          const done = await send([...others, entry]);
          if (done) setTold(t(invited ? 'add.invited' : 'add.added', { name }));
          return done;
        }}
      />
      {known.sharingCost !== null && (
        <p className={styles.hint}>{t('paid.before', { cost: money(known.sharingCost) })}</p>
      )}
      <p className={styles.unseen} role="status">
        {told}
      </p>
      {known.requests.length > 0 && <Requests id={id} requests={known.requests} busy={busy} />}
      <section className={styles.part} aria-label={t('people')} aria-busy={busy || undefined}>
        <h3 className={styles.heading}>{t('people')}</h3>
        {known.closed && <p className={styles.hint}>{t('closedTranscript')}</p>}
        <ul className={styles.list}>
          {known.owner.id !== '' && <Owner owner={known.owner} />}
          {entries
            .filter(({ principal }) => principal.kind !== 'anonymous')
            .map((entry) => (
              <Row
                key={keyOfEntry(entry)}
                entry={entry}
                busy={busy}
                onRole={(role) =>
                  void send(entries.map((one) => (one === entry ? { ...one, permissions: grantOf(role) } : one)))
                }
                onRemove={() => void (busy || remove(entry))}
                onAgain={async () => {
                  const done = await send(entries.map((one) => (one === entry ? { ...one, again: true } : one)));
                  if (done) setTold(t('invitedAgain', { name: nameOf(entry) }));
                }}
              />
            ))}
        </ul>
        <div role="status">
          {removed && (
            <p className={styles.removed}>
              <span>{t('removed', { name: removed.name })}</span>
              {removed.before && (
                <Button
                  look="quiet"
                  busy={busy}
                  onClick={() => {
                    setRemoved(null);
                    if (removed.before) share.mutate({ entries: removed.before, version: removed.version });
                  }}
                >
                  {t('undo')}
                </Button>
              )}
            </p>
          )}
        </div>
        {entries.every(({ principal }) => principal.kind === 'anonymous') && (
          <p className={styles.hint}>{t('nobody')}</p>
        )}
        <p className={styles.hint}>{t(folder ? 'folderRule' : 'ownerRule')}</p>
        {folder && <p className={styles.hint}>{t('history.folder')}</p>}
      </section>
      {known.inherited.length > 0 && <Inherited entries={known.inherited} />}
      {!folder && <LinkPart id={id} entries={entries} busy={busy} onChange={send} />}
      {!folder && (
        <HistoryPart
          value={known.history}
          busy={busy}
          onChange={(history) => {
            setRemoved(null);
            share.mutate({ entries, version: known.version, history });
          }}
        />
      )}
    </div>
  );
}

/** The choice of the people who may see deleted text besides the owner. */
function HistoryPart({
  value,
  busy,
  onChange,
}: {
  value: HistoryNeeds;
  busy: boolean;
  onChange: (history: HistoryNeeds) => void;
}) {
  const { t } = useTranslation('sharing');
  return (
    <section className={styles.part} aria-label={t('history.title')}>
      <h3 className={styles.heading}>{t('history.title')}</h3>
      <SelectField
        label={t('history.who')}
        hint={t(`history.${value}Hint`)}
        value={value}
        disabled={busy}
        options={historyChoices.map((one) => ({ value: one, label: t(`history.${one}`) }))}
        onChange={(chosen) => {
          const wanted = historyChoices.find((one) => one === chosen);
          if (wanted) onChange(wanted);
        }}
      />
    </section>
  );
}

/** People who have access through a folder; to be changed at the folder. */
function Inherited({ entries }: { entries: readonly InheritedEntry[] }) {
  const { t } = useTranslation('sharing');
  const me = useSession().data?.principal.id;
  const nameOf = useNames();
  return (
    <section className={styles.part} aria-label={t('inherited.title')}>
      <h3 className={styles.heading}>{t('inherited.title')}</h3>
      <ul className={styles.list}>
        {entries.map((entry) => {
          const { principal, folder, owner, permissions } = entry;
          const name = nameOf(entry);
          return (
            <li key={`${keyOfEntry(entry)} ${folder?.sid} ${folder?.path} ${owner}`} className={styles.row}>
              <Avatar
                name={name}
                id={personKey(principal.kind === 'pending' ? null : principal.id, principal.email)}
                size={32}
              />
              <span className={styles.who}>
                <span>{principal.id === me ? t('you', { name }) : name}</span>
                <span className={styles.address}>
                  {folder ? t('inherited.through', { folder: folder.name }) : t('inherited.above')}
                </span>
              </span>
              <span className={styles.owns}>{owner ? t('inherited.owns') : t(`role.${roleOf(permissions)}`)}</span>
            </li>
          );
        })}
      </ul>
      <p className={styles.hint}>{t('inherited.hint')}</p>
    </section>
  );
}

function useNames(): (entry: AclEntry) => string {
  const { t } = useTranslation('sharing');
  return ({ principal }) => fullName(principal) || principal.name || t('hidden');
}

function Owner({ owner }: { owner: SharingView['owner'] }) {
  const { t } = useTranslation('sharing');
  const me = useSession().data?.principal.id;
  return (
    <li className={styles.row}>
      <Avatar name={owner.name} id={owner.id} size={32} />
      <span className={styles.who}>{me === owner.id ? t('you', { name: owner.name }) : owner.name}</span>
      <span className={styles.owns}>{t('owns')}</span>
    </li>
  );
}

function Row({
  entry,
  busy,
  onRole,
  onRemove,
  onAgain,
}: {
  entry: AclEntry;
  busy: boolean;
  onRole: (role: Role) => void;
  onRemove: () => void;
  /** Invites a person who declined once more. */
  onAgain: () => Promise<void>;
}) {
  const { t } = useTranslation('sharing');
  const me = useSession().data?.principal.id;
  const { principal, permissions } = entry;
  const name = useNames()(entry);
  const pending = principal.kind === 'pending';
  const group = principal.kind === 'group';
  const count = entry.members ?? 0;
  const members = entry.archived ? t('archived', { members: t('members', { count }) }) : t('members', { count });
  const waiting = t(entry.declined ? 'declined' : 'pending');
  const second = group ? members : pending ? waiting : principal.email !== name ? principal.email : null;
  return (
    <li className={styles.row} data-pending={pending || undefined}>
      {group ? (
        <GroupMark />
      ) : (
        <Avatar name={name} id={personKey(pending ? null : principal.id, principal.email)} size={32} />
      )}
      <span className={styles.who}>
        <span>{principal.id === me ? t('you', { name }) : name}</span>
        {second !== null && <span className={styles.address}>{second}</span>}
        {entry.declined && (
          <Button look="quiet" aria-label={t('inviteAgainOf', { name })} busy={busy} onClick={() => void onAgain()}>
            {t('inviteAgain')}
          </Button>
        )}
      </span>
      <RoleSelect label={t('roleOf', { name })} value={roleOf(permissions)} disabled={busy} onChange={onRole} />
      <IconButton
        label={t('remove', { name })}
        icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
        disabled={busy}
        onClick={onRemove}
      />
    </li>
  );
}

function Requests({ id, requests, busy }: { id: string; requests: readonly AccessRequest[]; busy: boolean }) {
  const { t } = useTranslation('sharing');
  return (
    <section className={styles.part} aria-label={t('requests.title')}>
      <h3 className={styles.heading}>{t('requests.title')}</h3>
      <ul className={styles.list}>
        {requests.map((request) => (
          <Request key={`${request.id} ${request.asks}`} id={id} request={request} busy={busy} />
        ))}
      </ul>
    </section>
  );
}

function Request({ id, request, busy }: { id: string; request: AccessRequest; busy: boolean }) {
  const { t } = useTranslation('sharing');
  const answer = useAnswerRequest(id);
  const [role, setRole] = useState<Role>(request.asks);
  const { name, email } = request.person;
  const waiting = busy || answer.isPending;
  return (
    <li className={styles.row} data-wide>
      <Avatar name={name || email} id={request.person.id} size={32} />
      <span className={styles.who}>
        <span>
          {name} {t(`requests.asks.${request.asks}`)}
        </span>
        <span className={styles.address}>{email}</span>
      </span>
      <RoleSelect label={t('roleOf', { name })} value={role} disabled={waiting} onChange={setRole} />
      <span className={styles.answers}>
        <Button
          aria-label={t('requests.allowOf', { name })}
          busy={waiting}
          onClick={() => answer.mutate({ request: request.id, role })}
        >
          {t('requests.allow')}
        </Button>
        <Button
          look="quiet"
          aria-label={t('requests.denyOf', { name })}
          busy={waiting}
          onClick={() => answer.mutate({ request: request.id, role: null })}
        >
          {t('requests.deny')}
        </Button>
      </span>
    </li>
  );
}
