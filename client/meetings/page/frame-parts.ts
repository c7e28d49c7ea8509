import { createContext, type ComponentType } from 'react';

/** Parts that another page shows in the frame of a recording, in place of its own. */
interface OtherParts {
  Head?: ComponentType;
  /** Lines between the header and the text. */
  Lines?: ComponentType;
}

export const FrameParts = createContext<OtherParts>({});
