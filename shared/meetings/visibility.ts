/** Room that holds an annotation: one that all readers share, or its author's own. */
export type Visibility = 'shared' | 'private';
