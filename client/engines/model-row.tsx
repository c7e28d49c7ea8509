import { IconAlertCircle, IconCheck } from '@tabler/icons-react';

import type { ModelName, ModelView } from '#shared/engines.ts';
import { joinSentences } from '#shared/i18n/sentences.ts';

import { Button } from '../ui/button.tsx';
import { SafeLink } from '../ui/safe-link.tsx';
import { sizeText } from '../ui/sizes.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './speech-panel.module.css';
import { isUnderWay } from './use-models.ts';

export interface ModelRowProps {
  model: ModelView;
  /** Free bytes of the disk. */
  free: number | null;
  /** The one that people are expected to take. */
  primary?: boolean;
  onGet: (name: ModelName) => void;
  onStop: (name: ModelName) => void;
}

/** One speech model: what it is, how far its download is, and the one thing to do about it. */
export function ModelRow({ model, free, primary = false, onGet, onStop }: ModelRowProps) {
  const { t, i18n } = useTranslation('engines');
  const { state, received, bytes, room, failure } = model;
  const name = model.name === 'voices' ? t('title.voices') : model.title;
  const [size, got] = [sizeText(bytes, i18n.language), sizeText(received, i18n.language)];
  const noRoom = !isUnderWay(state) && state !== 'whole' && free !== null && room > free;
  const action = actionOf();
  return (
    <div className={styles.row}>
      <div className={styles.about}>
        {state === 'absent' && <span className={styles.name}>{name}</span>}
        <span role="status" className={styles.name}>
          {state !== 'absent' && state !== 'failed' && t(state, { name })}
          {state === 'whole' && <IconCheck size={16} stroke={1.5} aria-hidden="true" />}
        </span>
        <span role="alert" className={styles.failed}>
          {failure && (
            <>
              <IconAlertCircle size={16} stroke={1.5} aria-hidden="true" /> {name}: {t(`failure.${failure}`)}
            </>
          )}
          {noRoom && t('noRoom', { name, room: sizeText(room, i18n.language), free: sizeText(free, i18n.language) })}
        </span>
        {received > 0 && state !== 'whole' && (
          <span className={styles.progress}>
            <progress value={received} max={bytes} aria-label={t('fetching', { name })} />
            <span>{t('amount', { received: got, size })}</span>
          </span>
        )}
        <span className={styles.hint}>
          {joinSentences(
            t(`about.${model.name}`),
            `${!primary && state === 'absent' ? `${size} · ` : ''}${t('licence', { licence: model.licence })}`,
          )}
          <Makers credit={model.credit} />
        </span>
      </div>
      {action && (
        <Button {...(action.name !== undefined && { 'aria-label': action.name })} onClick={action.onPress}>
          {action.label}
        </Button>
      )}
    </div>
  );

  // One button with changing words keeps the focus.
  function actionOf(): { label: string; name?: string; onPress: () => void } | null {
    if (isUnderWay(state))
      return { label: t('pause'), name: t('pauseNamed', { name }), onPress: () => onStop(model.name) };
    if (noRoom || state === 'whole') return null;
    const onPress = () => onGet(model.name);
    if (state === 'stopped') return { label: t('resume'), name: t('resumeNamed', { name }), onPress };
    if (state === 'failed') return { label: t('again'), name: t('againNamed', { name }), onPress };
    return primary
      ? { label: t('get', { size }), onPress }
      : { label: t('getOne'), name: t('getNamed', { name }), onPress };
  }
}

/** Links to the makers' pages. */
function Makers({ credit }: { credit: string }) {
  const makers = credit.split('; ').map((one) => one.split(', ') as [maker: string, page: string]);
  return (
    <>
      {makers.map(([maker, page]) => (
        <span key={page}>
          {' · '}
          <SafeLink href={page}>{maker}</SafeLink>
        </span>
      ))}
    </>
  );
}
