import type { ExplainGradeProps } from '../../ai/explain-grade.tsx';
import { part } from '../../errors/part.tsx';
import { useOpened } from './opened.ts';

const ExplainGrade = part(() => import('../../ai/explain-grade.tsx'), { inBackground: true });

/** Grade that a model explains, for those who read what a machine says in the review (server/ai/machine-layer.ts). */
export function Explained(props: ExplainGradeProps) {
  const { layers } = useOpened().review;
  return layers.some(({ kind }) => kind === 'machine') ? <ExplainGrade {...props} /> : null;
}
