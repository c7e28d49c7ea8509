import { useRef, useState, type KeyboardEvent } from 'react';

import { addTag, longestTag, mostTags, readTags, removeTag } from '#shared/meetings/about.ts';

import { Button } from '../../../ui/button.tsx';
import { Chip } from '../../../ui/chip.tsx';
import { TextField } from '../../../ui/field.tsx';
import { usePhone } from '../../../ui/use-phone.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useDocument, useMarking } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';
import styles from './tags.module.css';

const origin = Symbol('tags');

/** Tags of the recording, shared by everyone. */
export function Tags() {
  const { t } = useTranslation('speakers');
  const phone = usePhone();
  const { doc } = useDocument();
  const editable = useMarking();
  const tags = useShared(doc.getMap('tags'), () => readTags(doc));
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState('');
  const [said, setSaid] = useState('');

  const remove = (tag: string | undefined) => {
    if (tag === undefined || !removeTag(doc, tag, origin)) return;
    setSaid(t('tags.removed', { tag }));
    field.current?.focus();
  };
  const add = () => {
    if (typed.trim() === '') return;
    if (tags.length >= mostTags) setError(t('tags.full', { most: mostTags }));
    else if (!addTag(doc, typed, origin)) setError(t('tags.there'));
    else {
      setSaid(t('tags.added', { tag: typed.trim() }));
      setTyped('');
      setError('');
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Backspace' || event.nativeEvent.isComposing || typed !== '' || event.repeat) return;
    event.preventDefault();
    remove(tags.at(-1));
  };
  return (
    <div className={styles.tags}>
      {tags.length === 0 ? (
        <p className={styles.empty}>{t('tags.empty')}</p>
      ) : (
        <ul className={styles.list} aria-label={t('tags.list')}>
          {tags.map((tag) => (
            <li key={tag}>
              <Chip {...(editable && { onRemove: () => remove(tag) })}>{tag}</Chip>
            </li>
          ))}
        </ul>
      )}
      {editable && (
        <form
          className={styles.add}
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <TextField
            ref={field}
            label={t('tags.label')}
            hint={phone ? undefined : t('tags.hint')}
            error={error}
            value={typed}
            maxLength={longestTag}
            autoComplete="off"
            autoCapitalize="none"
            onKeyDown={onKeyDown}
            onChange={(value) => {
              setTyped(value);
              setError('');
            }}
          />
          <Button type="submit" disabled={typed.trim() === ''}>
            {t('tags.add')}
          </Button>
        </form>
      )}
      <span role="status" className={styles.aloud}>
        {said}
      </span>
    </div>
  );
}
