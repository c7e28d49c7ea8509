/**
 * A change was sent so long ago that the server no longer knows its outcome; repeating it could overwrite later
 * changes.
 */
export class TooOld extends Error {
  override readonly name = 'TooOld';
}
