import { useAtom } from 'jotai';

import { dialogPart } from '../../../errors/part-dialog.tsx';
import { useMeeting } from '../../open/meeting-context.ts';
import { replacedAtom } from './replaced.ts';

const ReplacedDialog = dialogPart(() => import('./replaced-dialog.tsx'));

/** Shows the import notes to the person who replaced the transcript, once the new one is open. */
export function ReplacedHost() {
  const { id } = useMeeting().about;
  const [replaced, set] = useAtom(replacedAtom);
  return replaced?.id === id && <ReplacedDialog notes={replaced.notes} onClose={() => set(null)} />;
}
