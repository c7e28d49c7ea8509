import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { Button } from './button.tsx';

const thanksFor = 2_000;

export function CopyButton({ value, label }: { value: string; label?: string }) {
  const { t } = useTranslation('common');
  const notify = useNotify();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), thanksFor);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      notify({ message: t('somethingWrong') });
    }
  };
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <Button onClick={() => void copy()} icon={<Icon size={18} stroke={1.5} aria-hidden="true" />}>
      <span aria-live="polite">{copied ? t('copied') : (label ?? t('copy'))}</span>
    </Button>
  );
}
