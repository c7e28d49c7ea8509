import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useAtom, useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useId, useMemo, useState, useSyncExternalStore, type KeyboardEvent } from 'react';

import { part } from '../../../errors/part.tsx';
import { useSession } from '../../../session.ts';
import { replaceAddress } from '../../../library/place.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { undoKeyOf } from '../../base/undo-key.ts';
import { useOpenText, type OpenText } from '../../open/open-text.ts';
import { Finder, type Answer, type Preview } from './finder.ts';
import { findFocusAtom, findFormAtom, keepAtom } from './find-form.ts';
import styles from './find-pane.module.css';

const KeepDialog = part(() => import('../../../glossary/keep-dialog.tsx'));

/** `finds`: nothing is replaced here. */
export function FindPane({ finds = false }: { finds?: boolean }) {
  const open = useOpenText();
  return (
    <>
      {open && <OpenFind key={open.binding.doc.guid} {...open} finds={finds} />}
      <Keep />
    </>
  );
}

/** Dialog in which the spelling of a name is kept. */
function Keep() {
  const { about } = useMeeting();
  const [correction, keep] = useAtom(keepAtom);
  // Another recording begins without it.
  useEffect(() => () => keep(null), [keep, about.id]);
  return correction && <KeepDialog {...correction} meetingId={about.id} onClose={() => keep(null)} />;
}

function OpenFind({ editor, binding, finds }: OpenText & { finds: boolean }) {
  const { t } = useTranslation('find');
  const { editable } = useDocument();
  const id = useId();
  const finder = useMemo(() => new Finder(editor, binding), [editor, binding]);
  const { count, current } = useSyncExternalStore(finder.subscribe, finder.now);
  const [form, fill] = useAtom(findFormAtom);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const setOpenPane = useSetAtom(openPaneAtom);
  const keep = useSetAtom(keepAtom);
  const { data: session } = useSession();
  const mayKeep = session !== undefined && session.principal.kind !== 'anonymous';
  const { query, replacement, caseSensitive, wholeWords } = form;

  useEffect(() => finder.open(), [finder]);
  useEffect(() => {
    finder.find({ query, options: { caseSensitive, wholeWords } });
  }, [finder, query, caseSensitive, wholeWords]);
  useWantedFocus(id);
  // Undone in the text, a replacement is no longer offered here.
  const replaced = useSyncExternalStore(binding.onUndo, () => {
    const done = answer !== null && typeof answer === 'object' ? answer : null;
    return done?.step && binding.canUndo(done.step) ? done : null;
  });

  const change = (changed: Partial<typeof form>) => {
    setAnswer(null);
    fill({ ...form, ...changed });
  };
  const go = (step: 1 | -1) => {
    setAnswer(null);
    finder.go(step);
  };
  const replace = (which: 'one' | 'all') => setAnswer(finder.replace(replacement, which));
  /** Undoes the replacement and nothing typed since. */
  const takeBack = () => {
    setAnswer(null);
    if (replaced?.step) binding.undoOnly(replaced.step);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (replaced && undoKeyOf(event.nativeEvent) === 'undo') {
      // In a field of this pane too: the replacement came after what was typed there.
      event.preventDefault();
      takeBack();
    }
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    setOpenPane(null);
    finder.select();
  };
  const keys = (event: KeyboardEvent<HTMLInputElement>, onEnter: (back: boolean) => void) => {
    // Keys of an input method's composition are ignored.
    if (event.nativeEvent.isComposing || event.key !== 'Enter') return;
    event.preventDefault();
    onEnter(event.shiftKey);
  };
  const nothing = query.trim() === '';
  return (
    // Escape anywhere in the pane returns to the transcript.
    <search className={styles.find} onKeyDown={onKeyDown}>
      <TextField
        id={`${id}-query`}
        type="search"
        label={t('query')}
        value={query}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        onChange={(value) => change({ query: value })}
        onKeyDown={(event) => keys(event, (back) => go(back ? -1 : 1))}
      />
      <div className={styles.found}>
        <p className={styles.count} role="status">
          {nothing ? '' : current === null ? t('none') : t('place', { place: current + 1, count })}
        </p>
        <IconButton
          label={t('previous')}
          icon={<IconChevronUp size={18} stroke={1.5} aria-hidden="true" />}
          disabled={count === 0}
          onClick={() => go(-1)}
        />
        <IconButton
          label={t('next')}
          icon={<IconChevronDown size={18} stroke={1.5} aria-hidden="true" />}
          disabled={count === 0}
          onClick={() => go(1)}
        />
      </div>
      <div className={styles.options}>
        <CheckField
          label={t('caseSensitive')}
          checked={caseSensitive}
          onChange={(checked) => change({ caseSensitive: checked })}
        />
        <CheckField
          label={t('wholeWords')}
          checked={wholeWords}
          onChange={(checked) => change({ wholeWords: checked })}
        />
      </div>
      {editable && !finds && (
        <>
          <TextField
            id={`${id}-replacement`}
            label={t('replacement')}
            value={replacement}
            maxLength={1000}
            autoComplete="off"
            onChange={(value) => change({ replacement: value })}
            onKeyDown={(event) => keys(event, () => count > 0 && replace('one'))}
          />
          {count > 0 && replacement.trim() !== '' && query.trim() !== replacement.trim() && (
            <ReplacementPreview shown={finder.preview()} replacement={replacement} />
          )}
          <div className={styles.actions}>
            <Button disabled={count === 0} onClick={() => replace('one')}>
              {t('replace')}
            </Button>
            <Button disabled={count === 0} onClick={() => replace('all')}>
              {count === 0 ? t('replaceAll') : t('replaceAllOf', { number: count })}
            </Button>
          </div>
        </>
      )}
      <div role="alert">{answer === 'changed' && <p className={styles.changed}>{t('changed')}</p>}</div>
      <div role="status" className={styles.answer}>
        {answer === 'same' && <p>{t('same')}</p>}
        {replaced && (
          <>
            <p>{t('replaced', { count: replaced.replaced })}</p>
            <Button look="quiet" onClick={takeBack}>
              {t('undo')}
            </Button>
            {mayKeep && replacement.trim() !== '' && (
              <>
                <Button look="quiet" onClick={() => keep({ heard: query.trim(), term: replacement.trim() })}>
                  {t('keep')}
                </Button>
                <ButtonLink look="quiet" to={replaceAddress(query.trim(), replacement.trim(), null)}>
                  {t('elsewhere')}
                </ButtonLink>
              </>
            )}
          </>
        )}
      </div>
    </search>
  );
}

/** The current match as the next replacement leaves it. */
function ReplacementPreview({ shown, replacement }: { shown: Preview | null; replacement: string }) {
  const { t } = useTranslation('find');
  if (!shown) return null;
  return (
    <p className={styles.preview} role="group" aria-label={t('preview')}>
      {shown.before}
      <del>{shown.found}</del> <ins>{replacement}</ins>
      {shown.after}
    </p>
  );
}

/** Focuses the field a shortcut asked for and selects its content, so that typing replaces it. */
function useWantedFocus(id: string): void {
  const [wanted, done] = useAtom(findFocusAtom);
  const take = useEffectEvent((field: string) => {
    const input = document.getElementById(`${id}-${field}`) ?? document.getElementById(`${id}-query`);
    if (!(input instanceof HTMLInputElement)) return;
    input.focus();
    input.select();
    done(null);
  });
  useEffect(() => {
    if (wanted) take(wanted.field);
  }, [wanted]);
}
