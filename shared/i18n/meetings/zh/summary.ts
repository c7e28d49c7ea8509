import type { MeetingTexts } from '../../texts.ts';

export const summary: MeetingTexts['summary'] = {
  title: '摘要',
  short: '摘要',
  own: '仅自己可见',
  ownText: '其他人看不到这些要点。',
  empty: '还没有摘要',
  emptyText: '逐点写下这段录音的要点。其他人会看到您输入的每个字。',
  emptyReading: '还没有人为这段录音写摘要。',
  add: '添加要点',
  addOwn: '添加仅自己可见的要点',
  point: '要点 {{number}}',
  move: '移动：{{name}}',
  more: '操作：{{name}}',
  hint: '在手柄上按上下箭头可移动要点。按 Control 和 Enter 开始下一条。',
  moved: '现在是第 {{place}} 条，共 {{number}} 条。',
  reveal: '向所有人显示',
  revealed: '现在所有人都能看到。',
  revealOffline: '没有连接：该要点暂时仍为私密。',
  delete: '删除',
  deleted: '要点已删除。',
  undo: '撤销',
};
