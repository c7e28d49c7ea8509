import { IconMicrophone, IconVideo } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useId, useState } from 'react';

import { serviceNames, type ServiceId } from '#shared/meeting-services.ts';

import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { clockTime } from '../ui/times.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import dialogStyles from './dialog.module.css';
import styles from './select-meeting.module.css';
import { goToService } from './service-login.ts';
import {
  filtered,
  hasNoPicture,
  isLoginNeeded,
  useForgetRecordings,
  useWebexRecordings,
  useZoomRecordings,
  type Pickable,
  type RecordedMeeting,
  type ServiceRecordings,
} from './service-recordings.ts';
import type { Picked } from './steps.ts';

interface SelectMeetingProps {
  service: ServiceId;
  /** The person comes back from the login of the service: if it was refused, no second redirect. */
  returned: boolean;
  onPick: (picked: Picked, seconds: number | null) => void;
  onBack: () => void;
}

export function SelectMeeting(props: SelectMeetingProps) {
  return props.service === 'zoom' ? <FromZoom {...props} /> : <FromWebex {...props} />;
}

function FromZoom(props: SelectMeetingProps) {
  const [out, setOut] = useState(false);
  return <Selection {...props} out={out} onOut={setOut} recordings={useZoomRecordings(!out)} />;
}

function FromWebex(props: SelectMeetingProps) {
  const [out, setOut] = useState(false);
  return <Selection {...props} out={out} onOut={setOut} recordings={useWebexRecordings(!out)} />;
}

interface SelectionProps extends SelectMeetingProps {
  recordings: ServiceRecordings;
  /** Logged out of the service in this dialog. */
  out: boolean;
  onOut: (out: boolean) => void;
}

function Selection({ service, returned, recordings, out, onOut, onPick, onBack }: SelectionProps) {
  const { t } = useTranslation('intake');
  const api = useApi();
  const forget = useForgetRecordings();
  const user = String(useSession().data?.principal.id ?? '');
  const name = serviceNames[service];
  const { meetings, loading, further, error } = recordings;
  const needsLogin = out || isLoginNeeded(error);
  const [leaving, setLeaving] = useState(!returned);
  const goThere = () => {
    setLeaving(true);
    goToService(service, user);
  };
  const first = useEffectEvent(() => {
    if (leaving && !out) goToService(service, user);
  });
  useEffect(() => {
    if (needsLogin) first();
  }, [needsLogin]);
  // The Back button restores the page as it was left, with `leaving` set.
  useEffect(() => {
    const shown = () => setLeaving(false);
    window.addEventListener('pageshow', shown);
    return () => window.removeEventListener('pageshow', shown);
  }, []);
  const logOut = useMutation({
    mutationFn: () => (service === 'zoom' ? api.zoom.logout.$get() : api.webex.logout.$get()),
    onSuccess: () => {
      setLeaving(false);
      onOut(true);
      forget(service);
    },
  });
  return (
    <>
      {needsLogin ? (
        <p role="status">{leaving ? t('import.leaving', { service: name }) : t('import.login', { service: name })}</p>
      ) : loading ? (
        <Waiting label={t('import.loading')}>
          <Bone height="2.75rem" />
          <Bone height="2.75rem" />
          <Bone height="2.75rem" />
        </Waiting>
      ) : (
        <>
          {meetings.length > 0 && <Meetings meetings={meetings} label={t(`import.${service}.title`)} onPick={onPick} />}
          {error !== null && <LoadFailure service={service} error={error} onAgain={recordings.again} />}
          <p className={dialogStyles.small} role="status">
            {further ? t('import.further') : meetings.length === 0 && error === null ? t(`import.${service}.none`) : ''}
          </p>
        </>
      )}
      <Actions>
        {!needsLogin && (
          <Button look="quiet" busy={logOut.isPending} onClick={() => logOut.mutate()}>
            {t('import.logOut')}
          </Button>
        )}
        <Button look={needsLogin ? 'quiet' : 'plain'} data-autofocus onClick={onBack}>
          {t('back')}
        </Button>
        {needsLogin && (
          <Button look="primary" busy={leaving} onClick={goThere}>
            {t('import.logIn', { service: name })}
          </Button>
        )}
      </Actions>
    </>
  );
}

function LoadFailure({ service, error, onAgain }: { service: ServiceId; error: unknown; onAgain: () => void }) {
  const { t } = useTranslation('intake');
  const { t: told } = useTranslation(['common', 'shell']);
  // Messages of 4xx are for people, those of 5xx for programs.
  const said = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return (
    <div className={dialogStyles.pick}>
      <p className={dialogStyles.error} role="alert">
        {said ? failureMessage(error, told) : t(`import.${service}.failed`)}
      </p>
      <Button onClick={onAgain}>{told('common:tryAgain')}</Button>
    </div>
  );
}

function Meetings({
  meetings,
  label,
  onPick,
}: {
  meetings: readonly RecordedMeeting[];
  label: string;
  onPick: (picked: Picked, seconds: number | null) => void;
}) {
  const { t, i18n } = useTranslation('intake');
  const id = useId();
  const [filter, setFilter] = useState('');
  const when = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' });
  const shown = filtered(meetings, filter, (at) => when.format(at));
  return (
    <>
      <TextField label={t('import.filter')} type="search" value={filter} onChange={setFilter} />
      {shown.length === 0 && (
        <p className={dialogStyles.small} role="status">
          {t('import.noneFiltered')}
        </p>
      )}
      <ul className={styles.meetings} aria-label={label}>
        {shown.map((meeting, i) => (
          <li key={meeting.id} className={styles.meeting}>
            <div className={styles.head}>
              <p className={styles.title} id={`${id}-${i}`}>
                {meeting.title || t('import.untitled')}
              </p>
              {meeting.at && (
                <time className={styles.date} id={`${id}-${i}-at`} dateTime={meeting.at.toISOString()}>
                  {when.format(meeting.at)}
                </time>
              )}
            </div>
            <ul className={styles.files}>
              {meeting.files.map((file, nth) => (
                <li key={file.picked.fileId}>
                  <FileButton
                    file={file}
                    preferred={nth === 0 && meeting.files.length > 1}
                    meeting={`${id}-${i} ${id}-${i}-at`}
                    onPick={onPick}
                  />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </>
  );
}

function FileButton({
  file,
  preferred,
  meeting,
  onPick,
}: {
  file: Pickable;
  /** The one to choose of several: it shows who speaks. */
  preferred: boolean;
  /** The ids of the elements with the meeting's title and date. */
  meeting: string;
  onPick: (picked: Picked, seconds: number | null) => void;
}) {
  const { t } = useTranslation('intake');
  const { type, kind, seconds, picked } = file;
  const Icon = type === 'M4A' ? IconMicrophone : IconVideo;
  return (
    <button type="button" className={styles.file} aria-describedby={meeting} onClick={() => onPick(picked, seconds)}>
      <Icon size={18} stroke={1.5} aria-hidden="true" />
      <span className={styles.kind}>
        {t(`import.kind.${kind}`)}
        {(preferred || hasNoPicture(file)) && (
          <span className={styles.note}>{t(hasNoPicture(file) ? 'import.audioNote' : 'import.preferred')}</span>
        )}
      </span>
      <span className={styles.facts}>
        {type}
        {seconds !== null && ` · ${clockTime(seconds * 1000)}`}
      </span>
    </button>
  );
}
