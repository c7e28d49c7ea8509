import { IconX } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';

import type { GlossaryView, TermView } from '#shared/glossary.ts';

import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './glossary.module.css';
import { TermFields, termFrom, type TermEntry } from './term-fields.tsx';
import { useChangeGlossary, useGlossaries } from './use-glossaries.ts';

const icon = <IconX size={16} stroke={1.5} aria-hidden="true" />;

/** Page of all glossaries that the person can read, each with a form where they can add to it. */
export default function Glossary() {
  const { t } = useTranslation('glossary');
  if (!useTexts('finding')) return <Bones />;
  return (
    <>
      <PageTitle lead={t('lead')}>{t('title')}</PageTitle>
      <All />
    </>
  );
}

const Bones = () => (
  <Waiting>
    <Bone height="3.5rem" />
    <Bone height="3.5rem" />
  </Waiting>
);

function All() {
  const { t } = useTranslation('glossary');
  const { data, error, refetch } = useGlossaries();
  if (data) return data.map((one) => <One key={`${one.kind} ${one.id}`} glossary={one} />);
  if (!error) return <Bones />;
  return (
    <Failure error={error} onRetry={() => void refetch()}>
      {t('failed')}
    </Failure>
  );
}

function One({ glossary }: { glossary: GlossaryView }) {
  const { t } = useTranslation('glossary');
  const { kind, name, mayAdd, terms } = glossary;
  const heading = useId();
  return (
    <section className={styles.glossary} aria-labelledby={heading}>
      <h2 id={heading}>{kind === 'person' ? t('mine') : t(kind, { name })}</h2>
      {terms.length === 0 ? (
        <p className={styles.muted}>{t('none')}</p>
      ) : (
        <ul className={styles.terms}>
          {terms.map((term) => (
            <Term key={term.term} glossary={glossary} term={term} />
          ))}
        </ul>
      )}
      {mayAdd && <Add glossary={glossary} />}
    </section>
  );
}

function Term({ glossary, term: { term, by, mayRemove, heard } }: { glossary: GlossaryView; term: TermView }) {
  const { t } = useTranslation('glossary');
  const { mutate, isPending } = useChangeGlossary(glossary);
  const remove = (form?: string) => {
    if (!isPending)
      mutate({ change: { remove: [form === undefined ? { term } : { term, heard: form }] }, term: form ?? term });
  };
  return (
    <li className={styles.term}>
      <span className={styles.name}>{term}</span>
      {mayRemove && <IconButton label={t('remove', { term })} icon={icon} onClick={() => remove()} />}
      {heard.length > 0 && <span className={styles.muted}>{t('misheard')}</span>}
      {heard.map((form) => (
        <span key={form.text} className={styles.heard}>
          {form.text}
          {form.mayRemove && (
            <IconButton
              label={t('removeHeard', { heard: form.text, term })}
              icon={icon}
              onClick={() => remove(form.text)}
            />
          )}
        </span>
      ))}
      {glossary.kind !== 'person' && by !== null && <span className={styles.by}>{t('by', { name: by })}</span>}
    </li>
  );
}

const noTerm: TermEntry = { term: '', heard: '' };

function Add({ glossary }: { glossary: GlossaryView }) {
  const { t } = useTranslation('glossary');
  const { mutate, isPending, error } = useChangeGlossary(glossary);
  const [entry, setEntry] = useState(noTerm);
  const first = useRef<HTMLDivElement>(null);
  const submit = () => {
    if (isPending) return;
    mutate(
      { change: { add: [termFrom(entry)] }, term: entry.term.trim() },
      {
        onSuccess: () => {
          setEntry(noTerm);
          first.current?.querySelector('input')?.focus();
        },
      },
    );
  };
  return (
    <Form onSubmit={submit}>
      <div ref={first} className={styles.fields}>
        <TermFields entry={entry} onChange={setEntry} error={error} />
        <Button type="submit" busy={isPending}>
          {t('add')}
        </Button>
      </div>
    </Form>
  );
}
