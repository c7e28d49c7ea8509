import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type * as Y from 'yjs';

import { setPresence } from '#sync/client/presence.ts';

import { useTexts } from '../../texts.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { PageSaveChip } from './page-save-chip.tsx';
import type { LiveDocument } from './room.ts';
import { LiveNotices } from './live-notices.tsx';
import styles from './try-live.module.css';
import { usePeople } from './use-people.ts';
import { useRoom } from './use-room.ts';

// Page for developers, not translated: a bare live text. `?room=<meeting>/transcript`; repeat the parameter for several
// rooms.

const title = 'A live text';

export default function TryLive() {
  const [search] = useSearchParams();
  if (!useTexts('document')) return null;
  return (
    <div className={styles.page}>
      <PageTitle>{title}</PageTitle>
      <PageSaveChip />
      {search.getAll('room').map((room, place) => (
        <Room key={room} room={room} label={`Text ${place + 1}`} />
      ))}
    </div>
  );
}

function Room({ room, label }: { room: string; label: string }) {
  const view = useRoom(room);
  const people = usePeople(view?.awareness);
  return (
    view && (
      <>
        <ul className={styles.people} aria-label={`People at ${label}`}>
          {people.map(({ id, name, typing }) => (
            <li key={id} data-typing={typing}>
              <Avatar name={name} id={id} label={name} size={24} />
            </li>
          ))}
        </ul>
        <Text view={view} label={label} />
      </>
    )
  );
}

function Text({ view, label }: { view: LiveDocument; label: string }) {
  const { doc, awareness, ready, editable, ended } = view;
  const text = doc.getText('text');
  const [value, setValue] = useState(() => text.toString());
  const quiet = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const look = () => setValue(text.toString());
    look();
    text.observe(look);
    return () => text.unobserve(look);
  }, [text]);
  const typing = () => {
    setPresence(awareness, { typing: true });
    clearTimeout(quiet.current);
    quiet.current = setTimeout(() => setPresence(awareness, { typing: false }), 2000);
  };
  return (
    <>
      <LiveNotices live={view} fromDevice={false} />
      <textarea
        className={styles.text}
        rows={6}
        aria-label={label}
        readOnly={!editable}
        data-ready={ready}
        data-ended={ended ?? undefined}
        data-client={doc.clientID}
        value={value}
        onChange={(event) => {
          replace(text, event.target.value);
          typing();
        }}
      />
    </>
  );
}

/** Makes the shortest edit from one text to the other. */
function replace(text: Y.Text, wanted: string): void {
  const had = text.toString();
  let start = 0;
  while (start < had.length && had[start] === wanted[start]) start += 1;
  let end = 0;
  while (end < had.length - start && end < wanted.length - start && had.at(-1 - end) === wanted.at(-1 - end)) end += 1;
  text.doc?.transact(() => {
    text.delete(start, had.length - end - start);
    text.insert(start, wanted.slice(start, wanted.length - end));
  }, 'typed');
}
