import { IconEye } from '@tabler/icons-react';
import { useEffect, useEffectEvent } from 'react';

import { joinSentences } from '#shared/i18n/sentences.ts';

import { useNotify } from '../../../store.ts';
import { Button } from '../../../ui/button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import styles from './hidden.module.css';
import { keepBoundaries, keepBoundariesKey } from '../../text/keep-boundaries.ts';
import { useDesk } from '../../open/use-desk.ts';
import { useSpeakers } from '../../open/use-speakers.ts';

/** Names the hidden speakers, and prevents edits that would reach their hidden paragraphs. */
export function HiddenSpeakers() {
  const { t, i18n } = useTranslation('speakers');
  const { live, speakers } = useMeeting();
  const { hidden } = useDesk();
  const open = useOpenText();
  const notify = useNotify();
  const voices = useSpeakers();
  const some = hidden.size > 0;

  // One CSS rule per speaker, so that no segment renders again.
  useEffect(() => {
    if (hidden.size === 0) return;
    const sheet = new CSSStyleSheet();
    for (const id of hidden) sheet.insertRule(`.ProseMirror > [data-speaker="${CSS.escape(id)}"] { display: none; }`);
    document.adoptedStyleSheets.push(sheet);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [hidden]);

  const refused = useEffectEvent(() => notify({ message: t('noJoin') }));
  const editor = open?.editor;
  useEffect(() => {
    if (!some || !editor || editor.isDestroyed) return;
    editor.registerPlugin(keepBoundaries(() => refused()));
    return () => void editor.unregisterPlugin(keepBoundariesKey);
  }, [some, editor]);

  if (!some) return null;
  const names = voices.filter(({ id }) => hidden.has(id)).map(({ name }) => name || t('unknown'));
  return (
    <div className={styles.note}>
      <p role="status">
        {joinSentences(
          t('hiddenNow', { names: new Intl.ListFormat(i18n.language, { type: 'conjunction' }).format(names) }),
          live.editable ? t('joinLater') : '',
        )}
      </p>
      <Button look="quiet" icon={<IconEye size={18} stroke={1.5} aria-hidden="true" />} onClick={speakers.showAll}>
        {t('showAll')}
      </Button>
    </div>
  );
}
