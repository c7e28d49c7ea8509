import { ApiError } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useTranslation } from '../use-translation.ts';

const codes = ['could_read', 'knows_key', 'gets_key', 'exists', 'student', 'model', 'unheard'] as const;

/** Says why a change of a review was refused. */
export function useRefusedText(): (error: unknown) => string {
  const { t } = useTranslation('reviews');
  const { t: common } = useTranslation(['common', 'shell']);
  return (error) => {
    const refused = error instanceof ApiError ? error : null;
    if (refused?.code === 'CONFLICT') return t('refused.conflict');
    const has = (code: string) => refused?.errors.some((field) => field.code === code) === true;
    if (has('too_many')) return t('refused.tooMany');
    const code = codes.find(has);
    return code === undefined ? failureMessage(error, common) : t(`refused.${code}`);
  };
}
