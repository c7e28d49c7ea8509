/** Number of colours of speakers; the style sheets define them. */
export const speakerColors = 5;
