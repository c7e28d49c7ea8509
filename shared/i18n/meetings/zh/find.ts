import type { MeetingTexts } from '../../texts.ts';

export const find: MeetingTexts['find'] = {
  title: '查找和替换',
  short: '查找',
  query: '查找',
  replacement: '替换为',
  caseSensitive: '区分大小写',
  wholeWords: '全字匹配',
  none: '没有找到',
  place_other: '第 {{place}} 处，共 {{count}} 处',
  previous: '上一处',
  next: '下一处',
  replace: '替换',
  replaceAll: '全部替换',
  replaced_other: '已替换 {{count}} 处',
  corrected: '此处“{{heard}}”已改为“{{term}}”。',
  others_other: '替换其余 {{count}} 处',
  elsewhere: '在其他录音中替换',
  keep: '存入词汇表',
  undo: '撤销',
  same: '两者相同，没有替换任何内容。',
  changed: '文字稿刚刚被修改。请查看新的搜索结果并确认替换操作。',
};
