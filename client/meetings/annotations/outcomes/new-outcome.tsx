import { useAtom, useAtomValue } from 'jotai';
import { lazy, Suspense, useState } from 'react';

import { loadWhenPossible } from '../../../load.ts';
import { usePreferences } from '../../../preferences.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { Actions, Form } from '../../../ui/form.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { annotationsAtom, taggingAtom, usePlaces } from '../base/open-annotations.ts';
import { placedBegun } from '../base/placed.ts';
import { keyOf } from '../base/places.ts';
import { Quote } from '../base/quote.tsx';
import styles from './outcomes-pane.module.css';
import { TypePicker } from './type-picker.tsx';
import { useAddOutcome } from './use-add-outcome.ts';
import { useTypes } from './use-model.ts';
import { useTypeName } from './use-type-name.ts';

const OthersHere = lazy(() => loadWhenPossible(() => import('./others-here.tsx')));

/** Asks for the type of a new outcome, and for a confirmation if the person wants one. */
export function NewOutcome({ ownOnly }: { ownOnly: boolean }) {
  const { t } = useTranslation(['outcomes', 'common', 'annotations']);
  const { player, layer } = useMeeting();
  const items = useAtomValue(annotationsAtom);
  const [tagging, tag] = useAtom(taggingAtom);
  const types = useTypes();
  const nameOf = useTypeName();
  const addOutcome = useAddOutcome();
  const [{ showConfirmationPopupForOutcomes: asks = true, hardcorePrivacy = false }, prefer] = usePreferences();
  const [asked, setAsked] = useState<string | null>(null);
  const [never, setNever] = useState(false);
  const open = useOpenText();
  const places = usePlaces();
  if (!items || !tagging) return null;
  const { stretch, resume, alone = hardcorePrivacy } = tagging;
  // In an assessment nothing is private.
  const own = layer === null && (ownOnly || alone);
  const { kind, item } = placedBegun(stretch);
  const begun = places.get(keyOf({ kind, id: item.id }));
  const finish = () => {
    tag(null);
    if (resume) player.play(undefined, 'quiet');
  };
  const leave = () => {
    finish();
    open?.view.focus();
  };
  const add = (type: string) => {
    addOutcome(type, stretch, own);
    finish();
  };
  const confirm = () => {
    if (never) prefer({ showConfirmationPopupForOutcomes: false });
    if (asked !== null) add(asked);
  };
  return (
    <div className={styles.new} data-composing="">
      <Quote item={items.begin(stretch, true)} place={undefined} onGo={() => open?.editor.commands.focus()} />
      {layer !== null && (
        <Suspense>
          <OthersHere range={begun} />
        </Suspense>
      )}
      <TypePicker types={types} onPick={(type) => (asks ? setAsked(type) : add(type))} onCancel={leave} />
      {ownOnly && <p className={styles.note}>{t('annotations:private')}</p>}
      {!ownOnly && layer === null && (
        <CheckField label={t('onlyMe')} checked={alone} onChange={(next) => tag({ ...tagging, alone: next })} />
      )}
      <div className={styles.send}>
        <Button look="quiet" onClick={leave}>
          {t('common:cancel')}
        </Button>
      </div>
      <Dialog opened={asked !== null} onClose={() => setAsked(null)} title={t('confirm.title')} size="sm">
        <Form onSubmit={confirm}>
          <p className={styles.ask}>
            {asked !== null && t('confirm.text', { type: nameOf(asked), quote: stretch.quote })}
          </p>
          <CheckField label={t('confirm.never')} checked={never} onChange={setNever} />
          <Actions>
            <Button look="quiet" onClick={() => setAsked(null)}>
              {t('common:cancel')}
            </Button>
            <Button type="submit" look="primary" data-autofocus>
              {t('confirm.add')}
            </Button>
          </Actions>
        </Form>
      </Dialog>
    </div>
  );
}
