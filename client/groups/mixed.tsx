import { mixesScripts } from '#shared/group-rules.ts';

import { Chip } from '../ui/chip.tsx';
import { Hint } from '../ui/hint.tsx';
import { useTranslation } from '../use-translation.ts';

/** Marks a name with letters of several alphabets, which may imitate another name. */
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
