import { useSetAtom } from 'jotai';
import { useRef, useState } from 'react';

import { useApi } from '../api.ts';
import { useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import { addingAtom } from './adding.ts';
import { forgetInterrupted, interruptedUpload, isSameFile } from './interrupted.ts';
import styles from './interrupted-strip.module.css';

/** Offers to resume an interrupted upload with the same file. */
export function InterruptedStrip() {
  const user = useSession().data?.principal.id;
  return user === undefined ? null : <Strip key={user} user={String(user)} />;
}

function Strip({ user }: { user: string }) {
  const { t, i18n } = useTranslation('library');
  const api = useApi();
  const notify = useNotify();
  const add = useSetAtom(addingAtom);
  const input = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState(() => interruptedUpload(user));
  if (!found) return null;
  const { id, name } = found;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(
    Math.floor((found.sent / found.size) * 100) / 100,
  );
  const choose = (file: File) => {
    if (!isSameFile(found, file)) return notify({ message: t('anotherFile', { name }) });
    setFound(null);
    add({ file });
  };
  const giveUp = () => {
    forgetInterrupted(id);
    setFound(null);
    // A failure does not matter: the server deletes unfinished uploads after a day.
    void api['multipart-uploads'][':id'].$delete({ param: { id } }).catch(() => {});
  };
  return (
    <section className={styles.strip} role="status">
      <p>{t('interrupted', { name, percent })}</p>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('goOn')}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (file) choose(file);
        }}
      />
      <Button look="primary" onClick={() => input.current?.click()}>
        {t('goOn')}
      </Button>
      <Button look="quiet" onClick={giveUp}>
        {t('giveUp')}
      </Button>
    </section>
  );
}
