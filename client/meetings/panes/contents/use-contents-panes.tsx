import { IconBookmark, IconListTree } from '@tabler/icons-react';

import { newId } from '#shared/ids.ts';
import { addTimed, readTimed, removeTimed, type TimedList } from '#shared/meetings/entries.ts';

import { useNotify } from '../../../store.ts';
import type { Pane } from '../../base/pane.ts';
import { useAction } from '../../base/actions.ts';
import { isOpen } from '../../live/room.ts';
import { useDocument, useMarking } from '../../open/meeting-context.ts';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useStep } from '../../open/open-text.ts';
import { useShared } from '../../base/use-shared.ts';
import { TimedPane } from './timed-pane.tsx';
import { useHere } from './use-here.ts';

/** Panes for chapters and bookmarks; both lists are shared by everyone. */
export function useContentsPanes(): Pane[] {
  const { t } = useTranslation(['contents', 'annotations']);
  const { doc } = useDocument();
  const marking = useMarking();
  const here = useHere();
  const step = useStep();
  const notify = useNotify();
  const bookmark = () => {
    const { ms, words } = here();
    const id = newId();
    step((by) => addTimed(doc, 'bookmarks', { id, start: ms / 1000, title: words }, by));
    const back = () => {
      if (isOpen(doc)) step((by) => removeTimed(doc, 'bookmarks', id, by));
      else notify({ message: t('annotations:tooLateHere') });
    };
    notify({
      message: [t('bookmarked', { time: clockTime(ms) }), ' ', { kind: 'clickable', text: t('undo'), onClick: back }],
      type: 'info',
    });
  };
  useAction('bookmark', marking ? bookmark : null);
  return [
    {
      id: 'toc',
      label: t('lists.toc.title'),
      icon: IconListTree,
      button: 'more',
      Count: ContentsCount,
      Content: ContentsPane,
    },
    {
      id: 'bookmarks',
      label: t('lists.bookmarks.title'),
      icon: IconBookmark,
      button: 'more',
      Count: BookmarksCount,
      Content: BookmarksPane,
    },
  ];
}

const ContentsPane = () => <TimedPane list="toc" />;
const BookmarksPane = () => <TimedPane list="bookmarks" />;
const ContentsCount = () => <Count list="toc" />;
const BookmarksCount = () => <Count list="bookmarks" />;

function Count({ list }: { list: TimedList }) {
  const { doc } = useDocument();
  return useShared(doc.getMap(list), () => readTimed(doc, list).length) || null;
}
