import { IconHeadphones, IconPencil } from '@tabler/icons-react';
import { useAtom } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Person } from '#sync/client/presence.ts';

import { Avatar } from '../../ui/avatar.tsx';
import { Dropdown, DropdownButton } from '../../ui/dropdown.tsx';
import { Hint } from '../../ui/hint.tsx';
import { usePhone } from '../../ui/use-phone.ts';
import { usePeople } from '../live/use-people.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { clockTime } from '../../ui/times.ts';
import { useTranslation } from '../../use-translation.ts';
import { followedAtom } from './followed.ts';
import styles from './presence.module.css';
import { doingOf, timeOf } from './where.ts';

/** Refresh interval in milliseconds: carets move constantly, and the times need no more precision. */
const lookEvery = 1000;

/** Everyone else present: who, where, doing what; a press follows that person. */
export function People() {
  const { t } = useTranslation('presence');
  const { live } = useMeeting();
  const people = usePeople(live.awareness);
  const times = useTimes(people);
  const [followed, follow] = useAtom(followedAtom);
  const room = usePhone() ? 1 : 4;
  if (people.length === 0) return null;
  // A "+1" would take the room of the person it hides.
  const shown = people.length <= room + 1 && room > 1 ? people : people.slice(0, room);
  const rest = people.slice(shown.length);

  const labelOf = (person: Person) => {
    const { taking } = person;
    const name = taking === 'writes' ? person.name : t(`taking.${taking}`, { name: person.name });
    const [time, what] = [times.get(person.id), t(doingOf(person))];
    return time === undefined ? t('where', { name, what }) : t('at', { name, time, what });
  };
  const press = ({ id, name }: Person) => follow(followed?.id === id ? null : { id, name });
  return (
    <ul className={styles.people} aria-label={t('label')}>
      {shown.map((person) => {
        const pressed = followed?.id === person.id;
        return (
          <li key={person.id}>
            <Hint text={labelOf(person)} describes={false}>
              <button
                type="button"
                className={styles.person}
                aria-pressed={pressed}
                aria-label={t('follow', { who: labelOf(person) })}
                data-doing={doingOf(person)}
                onClick={() => press(person)}
              >
                <Avatar name={person.name} id={person.id} />
                <Badge person={person} />
              </button>
            </Hint>
          </li>
        );
      })}
      {rest.length > 0 && (
        <li>
          <Dropdown
            label={t('more', { count: rest.length })}
            face={<span className={styles.more}>{`+${rest.length}`}</span>}
          >
            <ul className={styles.rest}>
              {rest.map((person) => (
                <li key={person.id}>
                  <DropdownButton
                    current={followed?.id === person.id}
                    icon={<Avatar name={person.name} id={person.id} size={24} />}
                    onPress={() => press(person)}
                  >
                    {labelOf(person)}
                  </DropdownButton>
                </li>
              ))}
            </ul>
          </Dropdown>
        </li>
      )}
    </ul>
  );
}

function Badge({ person }: { person: Person }) {
  const doing = doingOf(person);
  if (doing === 'reading') return null;
  const Icon = doing === 'typing' ? IconPencil : IconHeadphones;
  return (
    <span className={styles.badge}>
      <Icon size={12} stroke={2} aria-hidden="true" />
    </span>
  );
}

/** Time in the recording at each person's position, formatted. */
function useTimes(people: readonly Person[]): ReadonlyMap<string, string> {
  const { live, words } = useMeeting();
  const [times, setTimes] = useState<ReadonlyMap<string, string>>(new Map());
  const look = useEffectEvent(() => {
    const now = new Map<string, string>();
    for (const person of people) {
      const ms = timeOf(live.awareness, words, person);
      if (ms !== null) now.set(person.id, clockTime(ms));
    }
    setTimes((before) => (same(before, now) ? before : now));
  });
  const anybody = people.length > 0;
  useEffect(() => {
    if (!anybody) return;
    const first = setTimeout(() => look());
    const timer = setInterval(() => look(), lookEvery);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [anybody]);
  return times;
}

const same = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([id, time]) => other.get(id) === time);
