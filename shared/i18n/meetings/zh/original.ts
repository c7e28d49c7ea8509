import type { MeetingTexts } from '../../texts.ts';

export const original: MeetingTexts['original'] = {
  title: '原始转写',
  how: '机器所写、后来被改动的内容加删除线；现在的内容加下划线。',
  changedOnly: '只显示有改动的段落',
  unchanged: '至今没有任何改动。',
  none: '此文本不是由机器写成的。',
  gone: '原为：',
  new: '现为：',
  loading: '正在加载最初的版本…',
};
