import { IconCopy, IconMessage2Plus, IconTrash } from '@tabler/icons-react';
import { useAtom, useAtomValue, useSetAtom } from 'jotai';

import { mayAdd } from '#shared/meetings/annotation-rules.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';

import { Button } from '../../../ui/button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { begunAtom, useAnnotations } from '../base/open-annotations.ts';
import { useAsking } from '../base/use-asking.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useRecording } from '../voice-notes/use-recording.ts';
import styles from './comments-pane.module.css';
import {
  draftToNewAtom,
  composeFocusAtom,
  draftAtom,
  draftHomesAtom,
  draftsAtom,
  orphanedDrafts,
  newKey,
  type DraftHome,
} from './drafts.ts';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;

/** Drafts about comments that were deleted meanwhile: shown, so that no words are lost. */
export function UnsentDrafts() {
  const { id } = useMeeting().about;
  const view = useAnnotations();
  const drafts = useAtomValue(draftsAtom);
  const homes = useAtomValue(draftHomesAtom);
  const orphaned = view?.ready ? orphanedDrafts(homes, id, view.comment) : [];
  return (
    <div role="alert">
      {orphaned.map((key) => {
        const [text, home] = [drafts.get(key), homes.get(key)];
        return text !== undefined && home && <OrphanedDraft key={key} draft={key} text={text} home={home} />;
      })}
    </div>
  );
}

function OrphanedDraft({ draft, text, home }: { draft: string; text: string; home: DraftHome }) {
  const { t } = useTranslation(['comments', 'annotations']);
  const keep = useSetAtom(draftAtom);
  const makeNew = useSetAtom(draftToNewAtom);
  const [begun, begin] = useAtom(begunAtom);
  const fresh = newKey(home.meeting);
  const isWritten = useAtomValue(draftsAtom).has(fresh);
  const { recording, running } = useRecording(`comment ${fresh}`);
  // One new comment at a time, and each stays with its own passage.
  const other = begun !== null || isWritten || recording !== null || running !== null;
  const focus = useSetAtom(composeFocusAtom);
  const asking = useAsking();
  const words = plainOf(text);
  const startNew = () => {
    if (!makeNew(draft)) return;
    begin(home.about);
    focus((count) => count + 1);
  };
  return (
    <div className={styles.left} role="group" aria-label={t('left.title')}>
      <p className={styles.error}>{t('left.title')}</p>
      <p className={styles.note}>{t('left.kept')}</p>
      <p className={styles.words}>{words}</p>
      {other && <p className={styles.note}>{t('left.other')}</p>}
      <div className={styles.ways}>
        <Button
          look="primary"
          icon={<IconMessage2Plus {...icon} />}
          disabled={other || !mayAdd(asking, true)}
          onClick={startNew}
        >
          {t('left.anew')}
        </Button>
        <Button icon={<IconCopy {...icon} />} onClick={() => void navigator.clipboard.writeText(words).catch(() => {})}>
          {t('annotations:refused.copy')}
        </Button>
        <Button look="quiet" icon={<IconTrash {...icon} />} onClick={() => keep(draft, null)}>
          {t('left.discard')}
        </Button>
      </div>
    </div>
  );
}
