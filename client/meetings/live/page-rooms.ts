import { atom } from 'jotai';
import { Signal } from '#shared/signal.ts';

import { chipOf, type ChipState, type RoomState } from '#sync/client/status.ts';

const rest = 250;

/** What has changes of its own that may not be safe yet: a live document, or commands that wait. */
export interface PageRoom {
  subscribe(listener: () => void): () => void;
  read(): { state: RoomState };
  /** Those of them that are words. */
  unsentWords(): string;
}

export interface Chip extends Omit<ChipState, 'savedAt' | 'again'> {
  savedAt: Date | null;
}

/** All live documents of the page, and the one state the chip shows of them. */
export class PageRooms {
  private readonly rooms = new Map<PageRoom, () => void>();
  private readonly signal = new Signal();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private resting: ReturnType<typeof setTimeout> | undefined;
  private savedAt: number | null = null;
  private chip: Chip = { kind: 'saved', pending: 0, savedAt: null, keptHere: true };

  readonly subscribe = this.signal.subscribe;

  readonly read = (): Chip => this.chip;

  add(room: PageRoom): void {
    this.rooms.set(room, room.subscribe(this.look));
    this.look();
  }

  remove(room: PageRoom): void {
    this.rooms.get(room)?.();
    this.rooms.delete(room);
    this.look();
  }

  /** The words of this page that are not safe yet. */
  readonly unsentWords = (): string =>
    [...this.rooms.keys()]
      .map((room) => room.unsentWords())
      .filter(Boolean)
      .join('\n');

  private readonly look = (): void => {
    clearTimeout(this.timer);
    const now = performance.now();
    const { kind, pending, keptHere, savedAt, again } = chipOf(
      [...this.rooms.keys()].map((room) => room.read().state),
      now,
    );
    // Right also when only time passes.
    if (again !== null) this.timer = setTimeout(this.look, again);
    const { chip } = this;
    const next: Chip = { kind, pending, keptHere, savedAt: chip.savedAt };
    // The clock on the wall is asked once for each confirmation: it may be set anew in between.
    if (savedAt !== this.savedAt) next.savedAt = savedAt === null ? null : new Date(Date.now() - now + savedAt);
    this.savedAt = savedAt;
    // With each letter something of a room is another, and hardly ever what is shown of it.
    clearTimeout(this.resting);
    if (sameChip(chip, next)) return;
    // While somebody types the number of what is on its way is another each moment: it is told when it has come to rest.
    if (next.kind === 'saved' && chip.kind === 'saved' && chip.pending > 0 && next.keptHere === chip.keptHere) {
      this.resting = setTimeout(() => this.tell(next), rest);
      return;
    }
    this.tell(next);
  };

  private tell(chip: Chip): void {
    this.chip = chip;
    this.signal.emit();
  }
}

/** To the minute, as it is shown. */
const minuteOf = (at: Date | null) => at && Math.floor(at.getTime() / 60_000);

const sameChip = (one: Chip, other: Chip): boolean =>
  one.kind === other.kind &&
  one.pending === other.pending &&
  one.keptHere === other.keptHere &&
  minuteOf(one.savedAt) === minuteOf(other.savedAt);

/** One a page. */
export const pageRoomsAtom = atom(() => new PageRooms());
