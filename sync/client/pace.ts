interface PaceLimits {
  updates: number;
  updateBurst: number;
  bytes: number;
  byteBurst: number;
}

/** How fast updates may leave: so many a second and so many bytes, each with a burst. */
export class Pace {
  private readonly limits: PaceLimits;
  private updates: number;
  private bytes: number;
  private at: number;

  constructor(limits: PaceLimits, now: number) {
    this.limits = limits;
    this.updates = limits.updateBurst;
    this.bytes = limits.byteBurst;
    this.at = now;
  }

  private refill(now: number): void {
    const seconds = Math.max(0, now - this.at) / 1000;
    this.at = now;
    this.updates = Math.min(this.limits.updateBurst, this.updates + seconds * this.limits.updates);
    this.bytes = Math.min(this.limits.byteBurst, this.bytes + seconds * this.limits.bytes);
  }

  allows(bytes: number, now: number): boolean {
    this.refill(now);
    return this.updates >= 1 && this.bytes >= Math.min(bytes, this.limits.byteBurst);
  }

  spend(bytes: number, now: number): void {
    this.refill(now);
    this.updates -= 1;
    this.bytes -= bytes;
  }

  /** Whether half of the burst is used up: then updates are merged. */
  get short(): boolean {
    return this.updates < this.limits.updateBurst / 2;
  }
}
