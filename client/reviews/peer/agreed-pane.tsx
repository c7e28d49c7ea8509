import { useAtomValue } from 'jotai';

import { mayAdd } from '#shared/meetings/annotation-rules.ts';
import type { SheetRow } from '#shared/reviews/sheet.ts';
import { ownName } from '#shared/meetings/own-types.ts';

import { AnnotationsWaiting } from '../../meetings/annotations/base/annotations-waiting.tsx';
import { annotationsAtom } from '../../meetings/annotations/base/open-annotations.ts';
import { useAsking } from '../../meetings/annotations/base/use-asking.ts';
import { GradeSign } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { TypeMark } from '../../meetings/annotations/outcomes/type-mark.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useAgreement, useReviewerName } from '../agreement/use-agreement.ts';
import { Explained } from './explained.tsx';
import { GradeField } from './grade-field.tsx';
import { useOpened } from './opened.ts';
import styles from './sheet-pane.module.css';
import { useGradeKey, useSheet, type Passage } from './use-sheet.ts';

/** Grades that the reviewers agree on in their discussion, below those that they gave. */
export default function AgreedPane() {
  const { t } = useTranslation('assessment');
  const { review } = useOpened();
  const rows = useSheet();
  const items = useAtomValue(annotationsAtom);
  const may = mayAdd(useAsking(), false);
  const { data: agreement } = useAgreement(review);
  const keyOf = useGradeKey();
  if (!items || !rows) return <AnnotationsWaiting />;
  return (
    <div className={styles.pane}>
      <p className={styles.note}>{t(may ? 'agreed.how' : 'agreed.readOnly')}</p>
      <ol className={styles.sheet}>
        {rows
          .filter(({ type }) => type.grades.length > 0)
          .map((row) => (
            <Agreed
              key={row.type.id}
              row={row}
              may={may}
              given={agreement?.competencies.find(({ type }) => type === row.type.id)?.grades ?? []}
              onGive={(grade) => {
                if (grade !== row.set) items.grade(keyOf(row.type.id), { grade });
              }}
            />
          ))}
      </ol>
    </div>
  );
}

interface AgreedProps {
  row: SheetRow<Passage>;
  may: boolean;
  given: readonly { reviewerId: string; grade: number | null }[];
  onGive: (grade: number | null) => void;
}

function Agreed({ row, may, given, onGive }: AgreedProps) {
  const { t } = useTranslation(['assessment', 'outcomes']);
  const { review } = useOpened();
  const nameOf = useReviewerName(review);
  const { type, set } = row;
  const name = ownName(type.id) ?? t(`outcomes:types.${type.id}` as 'outcomes:types.notes');
  const unset = t('assessment:agreed.none');
  return (
    <li className={styles.row} aria-label={name}>
      <div className={styles.head}>
        <TypeMark type={type.id} />
        <h3>{name}</h3>
        {set === null ? <span className={styles.none}>{unset}</span> : <GradeSign type={type.id} grade={set} />}
      </div>
      <ul className={styles.given} aria-label={t('assessment:agreed.given')}>
        {given.map(({ reviewerId, grade }) => (
          <li key={reviewerId}>
            <span>{nameOf(reviewerId)}</span>
            {grade === null ? (
              <span className={styles.none}>{t('assessment:sheet.none')}</span>
            ) : (
              <GradeSign type={type.id} grade={grade} />
            )}
          </li>
        ))}
      </ul>
      <GradeField row={row} name={name} may={may} onGive={onGive} unset={unset} />
      <Explained type={type} name={name} given={set} />
    </li>
  );
}
