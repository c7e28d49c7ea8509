import { IconArrowBackUp } from '@tabler/icons-react';
import { useAtom, useSetAtom } from 'jotai';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { newId } from '#shared/ids.ts';
import { addSummary, mostSummary, readSummary } from '#shared/meetings/summary.ts';

import { Button } from '../../../ui/button.tsx';
import { UnsentWords } from '../../live/unsent-words.tsx';
import type { LiveDocument } from '../../live/room.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';
import { takenPointsAtom, watchPoints } from './taken-points.ts';

/** Keeps what others take away with words of this page in it, from the moment there is a document. */
export function useTakenPoints(meeting: string, live: LiveDocument | null): void {
  const change = useSetAtom(takenPointsAtom);
  const [doc, room] = [live?.doc, live?.live];
  useEffect(() => {
    if (!doc || !room) return;
    return watchPoints(doc, room.unsent, {
      taken: (point) => change((before) => [...before.filter(({ id }) => id !== point.id), { ...point, meeting }]),
      // What was not in it when it came back is still nowhere else.
      back: ({ id, text }) => change((before) => before.filter((one) => one.id !== id || one.text !== text)),
    });
  }, [doc, room, meeting, change]);
}

/** A point that was deleted under one's hands: its words are told whatever pane is open. */
export function UnsentPoints() {
  const { t } = useTranslation('summary');
  const { about, live } = useMeeting();
  const [taken, change] = useAtom(takenPointsAtom);
  const { doc, editable } = live;
  const points = useShared(doc.getMap('summary'), () => readSummary(doc, 'shared'));
  return taken
    .filter(({ meeting }) => meeting === about.id)
    .map((point) => {
      const letGo = () => change((before) => before.filter((one) => one !== point));
      const putBack = () => {
        // Somebody had it back without these words.
        const id = points.some((one) => one.id === point.id) ? newId() : point.id;
        addSummary(doc, 'shared', { ...point, id }, 'summary');
        letGo();
      };
      return (
        <UnsentWords
          key={point.id}
          words={{ why: 'deleted', of: 'point', text: point.text, generation: null }}
          onDone={letGo}
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
