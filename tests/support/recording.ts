import { makeTalk } from '#server/demo/talk.ts';
import type { SharedHouse } from './house.ts';
import type { Person } from './people.ts';

/** Creates a three-minute meeting: sound, waveform, and a transcript with some words misheard. */
export const makeRecording = (house: SharedHouse, owner: Person, guests: readonly Person[] = []): Promise<string> =>
  makeTalk(
    house.house,
    owner.id,
    guests.map(({ id }) => id),
  );
