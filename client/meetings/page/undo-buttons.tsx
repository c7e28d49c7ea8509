import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useState, useSyncExternalStore } from 'react';

import { DropdownButton } from '../../ui/dropdown.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { usePhone } from '../../ui/use-phone.ts';
import { useTranslation } from '../../use-translation.ts';
import { useDocument, useMeeting } from '../open/meeting-context.ts';
import { useOpenText, type OpenText } from '../open/open-text.ts';
import { viewAtom } from '../open/view.ts';
import { pastAtom } from '../panes/history/past.ts';
import { labelOf } from '../text/step-label.ts';

/** Undo and redo of the transcript; their tooltips tell what would change. */
export function UndoButtons() {
  const { open, editable, closed } = useUndoable();
  if (!open) return null;
  if (!editable) return closed ? <ClosedButtons /> : null;
  return (
    <>
      <StepButton open={open} which="undo" />
      <StepButton open={open} which="redo" />
    </>
  );
}

/** The same as entries of a phone's menu, whose header has no room for the buttons. */
export function UndoEntries() {
  const { open, editable } = useUndoable();
  const phone = usePhone();
  if (!open || !editable || !phone) return null;
  return (
    <>
      <StepEntry open={open} which="undo" />
      <StepEntry open={open} which="redo" />
    </>
  );
}

/** The transcript, where the person would see the change. */
function useUndoable() {
  const { editable } = useDocument();
  const { closed } = useMeeting().about;
  const text = useOpenText();
  const view = useAtomValue(viewAtom);
  const past = useAtomValue(pastAtom) !== null;
  return { open: past || view !== 'transcript' ? null : text, editable, closed };
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

interface StepProps {
  open: OpenText;
  which: 'undo' | 'redo';
}

/** Whether there is a step. */
function useCan({ open, which }: StepProps): boolean {
  const { undoManager: manager } = open.binding;
  // Tells only whether there is a step: a key that is typed draws no button.
  return useSyncExternalStore(
    (changed) => {
      const events = ['stack-item-added', 'stack-item-popped', 'stack-cleared'] as const;
      for (const event of events) manager.on(event, changed);
      return () => {
        for (const event of events) manager.off(event, changed);
      };
    },
    () => stackOf(open, which).length > 0,
  );
}

const stackOf = ({ binding: { undoManager } }: OpenText, which: 'undo' | 'redo') =>
  which === 'undo' ? undoManager.undoStack : undoManager.redoStack;

/** Entry of a menu; the menu stays open, so that several steps are as many presses. */
function StepEntry(props: StepProps) {
  const { open, which } = props;
  const { t } = useTranslation('document');
  const can = useCan(props);
  const Icon = icons[which];
  return (
    <li>
      <DropdownButton
        icon={<Icon size={18} stroke={1.5} aria-hidden="true" />}
        off={!can}
        stays
        onPress={() => open.binding[which]()}
      >
        {t(names[which])}
      </DropdownButton>
    </li>
  );
}

function StepButton(props: StepProps) {
  const { open, which } = props;
  const { t } = useTranslation('document');
  const can = useCan(props);
  const [label, setLabel] = useState('');
  const look = () => {
    const step = stackOf(open, which).at(-1);
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
