import { useAtom } from 'jotai';

import { dialogPart } from '../../../errors/part-dialog.tsx';
import { useMeeting } from '../../open/meeting-context.ts';
import { replacedAtom } from './replaced.ts';

const ReplacedDialog = dialogPart(() => import('./replaced-dialog.tsx'));

/** Tells whoever replaced the text what they should know of the new one, as soon as that is open. */
export function ReplacedHost() {
  const { id } = useMeeting().about;
  const [replaced, set] = useAtom(replacedAtom);
  return replaced?.id === id && <ReplacedDialog notes={replaced.notes} onClose={() => set(null)} />;
}
