import { TextSelection } from '@tiptap/pm/state';
import { useEffect, useEffectEvent } from 'react';

import type { Anchored, Place } from '#shared/meetings/anchors.ts';
import type { AnnotationKind } from '#shared/meetings/annotations.ts';

import { useNotify } from '../../../store.ts';
import { Button } from '../../../ui/button.tsx';
import { Actions } from '../../../ui/form.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useAction, useEscape } from '../../base/actions.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { fromFlat } from '../../text/flat.ts';
import { reveal } from '../../text/paint.ts';
import styles from './move-passage.module.css';
import { passageToAnnotate } from './selection.ts';

interface MovePassageProps {
  kind: AnnotationKind;
  place: Place | undefined;
  onMove: (passage: Anchored) => void;
  onCancel: () => void;
}

/**
 * Asks for another passage of an annotation. Its words are selected in the transcript, where the ends of the selection are
 * moved by mouse, by touch or with Shift and the arrow keys.
 */
export function MovePassage({ kind, place, onMove, onCancel }: MovePassageProps) {
  const { t } = useTranslation(['annotations', 'common']);
  const { words, player, live } = useMeeting();
  const open = useOpenText();
  const notify = useNotify();
  const selectNow = useEffectEvent(() => {
    if (!open || open.editor.isDestroyed) return;
    const { view } = open.editor;
    const { doc, tr } = view.state;
    if (place) {
      const [from, to] = [fromFlat(doc, place.from), fromFlat(doc, place.to)];
      view.dispatch(tr.setSelection(TextSelection.between(doc.resolve(from), doc.resolve(to))));
      reveal(view, from);
    }
    view.focus();
  });
  // A frame later, because the list that was pressed gives the focus back to its button.
  useEffect(() => {
    const frame = requestAnimationFrame(() => selectNow());
    return () => cancelAnimationFrame(frame);
  }, []);
  const take = () => {
    const passage = open && passageToAnnotate(open, words, player, live.generation);
    if (passage) onMove(passage);
    else notify({ type: 'info', message: t('selectFirst') });
  };
  // The shortcut that would annotate the selected words gives them to this annotation.
  useAction(kind, take);
  useEscape(true, onCancel);
  return (
    <div className={styles.inner}>
      <p className={styles.note} role="status">
        {t('moving')}
      </p>
      <Actions>
        <Button look="quiet" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button look="primary" onClick={take}>
          {t('moveHere')}
        </Button>
      </Actions>
    </div>
  );
}
