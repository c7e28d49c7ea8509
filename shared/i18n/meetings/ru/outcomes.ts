import type { MeetingTexts } from '../../texts.ts';

export const outcomes: MeetingTexts['outcomes'] = {
  count_one: '{{count}} итог',
  count_few: '{{count}} итога',
  count_many: '{{count}} итогов',
  count_other: '{{count}} итога',
};
