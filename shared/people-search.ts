// Separate from the schemas, so that a field for people comes without them.

/** Letters from which on people are searched for. */
export const searchMin = 3;

/** Delay in milliseconds between typing and the search. */
export const searchPause = 500;
