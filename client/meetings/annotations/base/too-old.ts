/** A change left so long ago that nobody can tell any more whether it was made, and what others made since. */
export class TooOld extends Error {
  override readonly name = 'TooOld';
}
