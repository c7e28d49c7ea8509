import { createContext, type ComponentType } from 'react';

/** What another page shows in the frame of a recording, in the place of the recording's own. */
interface OtherParts {
  Head?: ComponentType;
  /** Lines between the header and the text. */
  Lines?: ComponentType;
}

export const FrameParts = createContext<OtherParts>({});
