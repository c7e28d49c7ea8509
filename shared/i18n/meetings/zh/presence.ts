import type { MeetingTexts } from '../../texts.ts';

export const presence: MeetingTexts['presence'] = {
  label: '在场人员',
  typing: '正在输入',
  listening: '正在收听',
  reading: '正在阅读',
  at: '{{name}}，在 {{time}}，{{what}}',
  where: '{{name}}，{{what}}',
  taking: {
    comments: '{{name}}（可评论）',
    reads: '{{name}}（仅可阅读）',
  },
  follow: '跟随{{who}}',
  more_other: '还有 {{count}} 人',
  following: '正在跟随{{name}} - Esc',
  sound: '声音也跟随',
  stop: '停止跟随',
  left: '{{name}}已离开。',
};
