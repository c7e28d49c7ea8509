import { readSpeakers } from '#shared/meetings/speakers.ts';

import { useAction } from '../../base/actions.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { idOf } from '../../text/schema.ts';
import { useOpenText, type OpenText } from '../../open/open-text.ts';
import { ScopeBar } from './scope-bar.tsx';
import { SpeakerMenu } from './speaker-menu.tsx';

/** Id of the segment with this person's caret. */
function segmentOfCaret({ editor }: OpenText): string | null {
  const { $from } = editor.state.selection;
  const segment = $from.depth > 0 ? $from.node(1) : editor.state.doc.firstChild;
  return segment ? idOf(segment) : null;
}

/** Speaker menu, scope bar and their keyboard shortcuts. */
export function Speakers() {
  const { live, speakers: desk } = useMeeting();
  const text = useOpenText();
  const may = text !== null && live.editable;
  useAction('speakers', may ? () => desk.ask(segmentOfCaret(text)) : null);
  useAction(
    'speaker',
    may
      ? (digit) => {
          const speaker = readSpeakers(live.doc)[digit - 1];
          if (!speaker) return false;
          desk.give(text.binding, segmentOfCaret(text), speaker.id);
          return true;
        }
      : null,
  );
  return (
    <>
      <SpeakerMenu />
      <ScopeBar />
    </>
  );
}
