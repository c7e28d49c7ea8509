import { useAtom } from 'jotai';
import { useState } from 'react';

import { questionAtom, type AskedQuestion } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { Button } from './button.tsx';
import styles from './confirm.module.css';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { Actions, Form } from './form.tsx';

/** Closing the dialog in any other way means no. */
export default function ConfirmDialog() {
  const [question, ask] = useAtom(questionAtom);
  // Keeps the words while the dialog fades out.
  const [shown, setShown] = useState(question);
  if (question && question !== shown) setShown(question);
  const answer = (yes: boolean) => {
    question?.answer(yes);
    ask(null);
  };
  return (
    <Dialog opened={question !== null} onClose={() => answer(false)} title={shown?.title} size="sm">
      {shown && <Body question={shown} onAnswer={answer} />}
    </Dialog>
  );
}

function Body({ question, onAnswer }: { question: AskedQuestion; onAnswer: (yes: boolean) => void }) {
  const { t } = useTranslation('common');
  const [typed, setTyped] = useState('');
  const { text, action, decline = t('cancel'), danger = false, word } = question;
  const ready = word === undefined || typed.trim().toLowerCase() === word.toLowerCase();
  return (
    <Form onSubmit={() => ready && onAnswer(true)}>
      {text !== undefined && <p className={styles.text}>{text}</p>}
      {word !== undefined && (
        <TextField
          label={t('typeToConfirm', { word })}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          data-autofocus
        />
      )}
      <Actions>
        <Button look="quiet" onClick={() => onAnswer(false)}>
          {decline}
        </Button>
        <Button
          type="submit"
          look={danger ? 'danger' : 'primary'}
          disabled={!ready}
          data-autofocus={word === undefined || undefined}
        >
          {action}
        </Button>
      </Actions>
    </Form>
  );
}
