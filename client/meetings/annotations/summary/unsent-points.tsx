import { IconArrowBackUp } from '@tabler/icons-react';
import { useAtom, useSetAtom } from 'jotai';
import { useEffect } from 'react';

import { newId } from '#shared/ids.ts';
import { addSummary, mostSummary, readSummary } from '#shared/meetings/summary.ts';

import { Button } from '../../../ui/button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { UnsentWords } from '../../live/unsent-words.tsx';
import type { LiveDocument } from '../../live/room.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';
import { takenPointsAtom, watchPoints } from './taken-points.ts';

/** Collects points with own words that others delete, while the document is open. */
export function useTakenPoints(meeting: string, live: LiveDocument | null): void {
  const change = useSetAtom(takenPointsAtom);
  const [doc, room] = [live?.doc, live?.live];
  useEffect(() => {
    if (!doc || !room) return;
    return watchPoints(doc, room.unsent, {
      taken: (point) => change((before) => [...before.filter(({ id }) => id !== point.id), { ...point, meeting }]),
      // Words missing from the restored point exist only here.
      back: ({ id, text }) => change((before) => before.filter((one) => one.id !== id || one.text !== text)),
    });
  }, [doc, room, meeting, change]);
}

/** Points deleted by others while this person was typing in them, shown whatever pane is open. */
export function UnsentPoints() {
  const { t } = useTranslation('summary');
  const { about, live } = useMeeting();
  const [taken, change] = useAtom(takenPointsAtom);
  const { doc, editable } = live;
  const points = useShared(doc.getMap('summary'), () => readSummary(doc, 'shared'));
  return taken
    .filter(({ meeting }) => meeting === about.id)
    .map((point) => {
      const discard = () => change((before) => before.filter((one) => one !== point));
      const putBack = () => {
        // The point was restored without these words, so a copy gets a new id.
        const id = points.some((one) => one.id === point.id) ? newId() : point.id;
        addSummary(doc, 'shared', { ...point, id }, 'summary');
        discard();
      };
      return (
        <UnsentWords
          key={point.id}
          words={{ why: 'deleted', of: 'point', text: point.text, generation: null }}
          onDone={discard}
        >
          {editable && (
            <Button
              icon={<IconArrowBackUp size={18} stroke={1.5} aria-hidden="true" />}
              disabled={points.length >= mostSummary}
              onClick={putBack}
            >
              {t('putBack')}
            </Button>
          )}
        </UnsentWords>
      );
    });
}
