import { reviewerRoles, type ReviewerRole } from '#shared/reviews/review.ts';

import { SentenceSelect } from '../ui/sentence-select.tsx';
import { useTranslation } from '../use-translation.ts';

interface RoleSelectProps {
  name: string;
  value: ReviewerRole;
  /** Parts that can be chosen; all by default. */
  offered?: readonly ReviewerRole[];
  onChange: (role: ReviewerRole) => void;
}

/** A person's part in a review, as it ends a sentence: 'must assess'. */
export function RoleSelect({ name, offered = reviewerRoles, ...rest }: RoleSelectProps) {
  const { t } = useTranslation('leading');
  return (
    <SentenceSelect
      {...rest}
      label={t('roleOf', { name })}
      options={offered.map((role) => ({ value: role, label: t(`role.${role}`) }))}
    />
  );
}
