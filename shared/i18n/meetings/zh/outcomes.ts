import type { MeetingTexts } from '../../texts.ts';

export const outcomes: MeetingTexts['outcomes'] = {
  count_other: '{{count}} 个成果',
};
