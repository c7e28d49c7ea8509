import { IconArrowDown, IconArrowUp, IconCheck, IconVolume } from '@tabler/icons-react';
import { useAtom, useAtomValue } from 'jotai';

import { nonSpeechTags, writeTag } from '#shared/meetings/sentence.ts';

import { Button } from '../../../ui/button.tsx';
import { CalmStatus } from '../../../ui/calm-status.tsx';
import { Dropdown, DropdownButton } from '../../../ui/dropdown.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { insertTag } from '../../text/sentence-keys.ts';
import styles from './doubts-pane.module.css';
import { thresholdAtom, thresholdNames, thresholdOf } from './stored-threshold.ts';
import { doubtsAtom, useDoubtsState } from './open-doubts.ts';

export function DoubtsCount() {
  const state = useDoubtsState();
  return state && state.left > 0 ? state.left : null;
}

export function DoubtsPane() {
  const { t } = useTranslation('doubts');
  const { editable } = useDocument();
  const doubts = useAtomValue(doubtsAtom);
  const state = useDoubtsState();
  const [threshold, choose] = useAtom(thresholdAtom);
  if (!doubts || !state) return null;
  const { left, taken, here, known } = state;
  const free = left - taken;
  const count =
    threshold === 'none' ? t('off') : left > 0 ? t('left', { count: left }) : known ? t('done') : t('unknown');
  return (
    <div className={styles.doubts}>
      {/* Others check words at the same time: only the number that stays is announced. */}
      <CalmStatus text={count} />
      <div className={styles.left}>
        <p className={styles.count}>{count}</p>
        {taken > 0 && <p className={styles.taken}>{t('taken', { count: taken })}</p>}
      </div>
      {left > 0 && (
        <div className={styles.walk}>
          {/* The three fit into one line of the pane in each language as one of them has no words. */}
          <IconButton label={t('previous')} icon={<Arrow up />} disabled={free === 0} onClick={() => doubts.go(-1)} />
          <Button icon={<Arrow />} disabled={free === 0} onClick={() => doubts.go(1)}>
            {t('next')}
          </Button>
          {editable && (
            <Button
              icon={<IconCheck size={18} stroke={1.5} aria-hidden="true" />}
              disabled={!here}
              onClick={() => doubts.accept()}
            >
              {t('accept')}
            </Button>
          )}
        </div>
      )}
      {left > 0 && <p className={styles.how}>{editable ? t('how') : t('howReading')}</p>}
      {editable && <Tags />}
      <SelectField
        label={t('threshold')}
        options={thresholdNames.map((name) => ({ value: name, label: t(`thresholds.${name}`) }))}
        value={threshold}
        onChange={(value) => choose(thresholdOf(value))}
      />
    </div>
  );
}

function Arrow({ up = false }: { up?: boolean }) {
  const Icon = up ? IconArrowUp : IconArrowDown;
  return <Icon size={18} stroke={1.5} aria-hidden="true" />;
}

/** Menu of non-speech tags, such as laughter; the chosen one replaces the selection. */
function Tags() {
  const { t } = useTranslation('doubts');
  const { words } = useMeeting();
  const open = useOpenText();
  return (
    <div>
      <Dropdown
        plain
        label={t('insertTag')}
        face={
          <span className={styles.face}>
            <IconVolume size={18} stroke={1.5} aria-hidden="true" />
            {t('insertTag')}
          </span>
        }
      >
        {nonSpeechTags.map((tag) => (
          <DropdownButton
            key={tag}
            onPress={() => {
              const view = open?.view;
              if (!view) return;
              insertTag(tag, (pos) => words.timeAt(pos))(view.state, (tr) => view.dispatch(tr));
              view.focus();
            }}
          >
            {t(`tags.${tag}`)} <span className={styles.written}>{writeTag(tag, null)}</span>
          </DropdownButton>
        ))}
      </Dropdown>
    </div>
  );
}
