import Agreement from '../agreement/agreement.tsx';
import { useOpened } from './opened.ts';

/** Agreement of the reviewers, beside the transcript. */
export default function AgreementPane() {
  const { review } = useOpened();
  return <Agreement review={review} />;
}
