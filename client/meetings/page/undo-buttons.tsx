import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { IconButton } from '../../ui/icon-button.tsx';
import { useDocument, useMeeting } from '../open/meeting-context.ts';
import { useOpenText, type OpenText } from '../open/open-text.ts';
import { viewAtom } from '../open/view.ts';
import { pastAtom } from '../panes/history/past.ts';
import { labelOf } from '../text/step-label.ts';

/** Undo and redo of the transcript; their tooltips tell what would change. */
export function UndoButtons() {
  const { editable } = useDocument();
  const { closed } = useMeeting().about;
  const open = useOpenText();
  const view = useAtomValue(viewAtom);
  const past = useAtomValue(pastAtom) !== null;
  // The person must see the change.
  if (!open || past || view !== 'transcript') return null;
  if (!editable) return closed ? <ClosedButtons /> : null;
  return (
    <>
      <StepButton open={open} which="undo" />
      <StepButton open={open} which="redo" />
    </>
  );
}

const icons = { undo: IconArrowBackUp, redo: IconArrowForwardUp } as const;
const names = { undo: 'undo.name', redo: 'redo.name' } as const;
const steps = { undo: 'undo.step', redo: 'redo.step' } as const;

/** Buttons that tell why nothing can be undone. */
function ClosedButtons() {
  const { t } = useTranslation(['document', 'closing']);
  return (['undo', 'redo'] as const).map((which) => {
    const Icon = icons[which];
    return (
      <IconButton
        key={which}
        label={t('closing:undo', { name: t(`document:${names[which]}`) })}
        icon={<Icon size={20} stroke={1.5} aria-hidden="true" />}
        aria-disabled
      />
    );
  });
}

function StepButton({ open, which }: { open: OpenText; which: 'undo' | 'redo' }) {
  const { t } = useTranslation('document');
  const { undoManager: manager } = open.binding;
  const stackOf = () => (which === 'undo' ? manager.undoStack : manager.redoStack);
  // Tells only whether there is a step: a key that is typed draws no button.
  const can = useSyncExternalStore(
    (changed) => {
      const events = ['stack-item-added', 'stack-item-popped', 'stack-cleared'] as const;
      for (const event of events) manager.on(event, changed);
      return () => {
        for (const event of events) manager.off(event, changed);
      };
    },
    () => stackOf().length > 0,
  );
  const [label, setLabel] = useState('');
  const look = () => {
    const step = stackOf().at(-1);
    if (!step) return setLabel('');
    const { kind, text, old } = labelOf(open.binding.doc, step, which);
    setLabel(t(steps[which], { what: t(`step.${kind}`, { text, old }) }));
  };
  const Icon = icons[which];
  return (
    <span onPointerEnter={look} onFocus={look}>
      <IconButton
        label={(can && label) || t(names[which])}
        icon={<Icon size={20} stroke={1.5} aria-hidden="true" />}
        aria-disabled={!can}
        // The caret stays where it is.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          if (!can) return;
          open.binding[which]();
          look();
        }}
      />
    </span>
  );
}
