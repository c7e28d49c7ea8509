import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';

/** Number of letters of the passage that name an entry without a name. */
const namedBy = 60;

/** Current position: that of playback while it plays, else that of the caret. */
export function useHere(): () => { ms: number; words: string } {
  const { player, words } = useMeeting();
  const open = useOpenText();
  return () => {
    const view = open?.view;
    const at = !player.now().playing && view?.hasFocus() ? words.timeAt(view.state.selection.from) : null;
    const ms = Math.max(0, Math.round(at ?? player.ms));
    const place = words.wordAt(ms);
    const segment = place && words.reading().segments[place.segment];
    const from = segment?.words[place?.word ?? 0]?.at ?? 0;
    const said = segment?.text.slice(from).trim() ?? '';
    const cut = said.length > namedBy ? `${said.slice(0, namedBy).replace(/\s+\S*$/, '')}…` : said;
    return { ms, words: cut };
  };
}
