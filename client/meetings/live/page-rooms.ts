import { atom } from 'jotai';
import { Signal } from '#shared/signal.ts';

import { chipOf, type ChipState, type RoomState } from '#sync/client/status.ts';

const rest = 250;

/** Source of unsent changes: a live document, or a queue of commands. */
export interface PageRoom {
  subscribe(listener: () => void): () => void;
  read(): { state: RoomState };
  /** Unsent changes that are words. */
  unsentWords(): string;
}

export interface Chip extends Omit<ChipState, 'savedAt' | 'again'> {
  savedAt: Date | null;
}

/** All live documents of the page, combined into the state of the save chip. */
export class PageRooms {
  private readonly rooms = new Map<PageRoom, () => void>();
  private readonly signal = new Signal();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private resting: ReturnType<typeof setTimeout> | undefined;
  private savedAt: number | null = null;
  private chip: Chip = { kind: 'saved', pending: 0, stored: 0, savedAt: null, keptHere: true };

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

  /** Whether changes would be lost, or stay unsent, if the page closed now. */
  readonly asksToStay = (): boolean => {
    const states = [...this.rooms.keys()].map((room) => room.read().state);
    const { kind, pending, stored } = chipOf(states, performance.now());
    return stored < pending || (pending > 0 && (kind === 'offline' || kind === 'notKept'));
  };

  /** Unsent words of the page. */
  readonly unsentWords = (): string =>
    [...this.rooms.keys()]
      .map((room) => room.unsentWords())
      .filter(Boolean)
      .join('\n');

  private readonly look = (): void => {
    clearTimeout(this.timer);
    const now = performance.now();
    const { kind, pending, stored, keptHere, savedAt, again } = chipOf(
      [...this.rooms.keys()].map((room) => room.read().state),
      now,
    );
    // Updates the chip also when only time passes.
    if (again !== null) this.timer = setTimeout(this.look, again);
    const { chip } = this;
    const next: Chip = { kind, pending, stored, keptHere, savedAt: chip.savedAt };
    // Converts to wall-clock time once a confirmation, because the clock may be changed in between.
    if (savedAt !== this.savedAt) next.savedAt = savedAt === null ? null : new Date(Date.now() - now + savedAt);
    this.savedAt = savedAt;
    // A room changes with each letter, but the chip hardly ever does.
    clearTimeout(this.resting);
    if (sameChip(chip, next)) return;
    // The number of pending changes varies with each letter; it is shown once typing pauses.
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

/** The chip shows minutes. */
const minuteOf = (at: Date | null) => at && Math.floor(at.getTime() / 60_000);

const sameChip = (one: Chip, other: Chip): boolean =>
  one.kind === other.kind &&
  one.pending === other.pending &&
  (one.stored === other.stored || one.kind !== 'offline') &&
  one.keptHere === other.keptHere &&
  minuteOf(one.savedAt) === minuteOf(other.savedAt);

/** One instance a page. */
export const pageRoomsAtom = atom(() => new PageRooms());
