import type { MeetingTexts } from '../../texts.ts';

export const outcomes: MeetingTexts['outcomes'] = {
  count_one: '{{count}} resultado',
  count_many: '{{count}} de resultados',
  count_other: '{{count}} resultados',
};
