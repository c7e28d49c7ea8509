/** Where an annotation is kept: in a room that all readers share, or in its author's own. */
export type Visibility = 'shared' | 'private';
