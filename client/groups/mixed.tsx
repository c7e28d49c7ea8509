import { useTranslation } from 'react-i18next';

import { mixesScripts } from '#shared/group-rules.ts';

import { Chip } from '../ui/chip.tsx';
import { Hint } from '../ui/hint.tsx';

/** Marks a name that may look like another by letters of several alphabets. */
export function Mixed({ name }: { name: string }) {
  const { t } = useTranslation('groups');
  if (!mixesScripts(name)) return null;
  return (
    <Hint text={t('mixedHint')}>
      <span>
        <Chip tone="danger">{t('mixed')}</Chip>
      </span>
    </Hint>
  );
}
