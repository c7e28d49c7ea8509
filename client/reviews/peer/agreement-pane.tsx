import Agreement from '../agreement/agreement.tsx';
import { useOpened } from './opened.ts';

/** Agreement of the reviewers, beside the transcript. */
export default function AgreementPane() {
  const { review, layers, show } = useOpened();
  const talk = layers.find(({ kind }) => kind === 'discussion');
  return <Agreement review={review} onDiscuss={talk && (({ start, end }) => show(talk.id, { start, end }))} />;
}
