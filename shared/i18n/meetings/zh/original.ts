import type { MeetingTexts } from '../../texts.ts';

export const original: MeetingTexts['original'] = {
  title: '原始文字稿',
  how: '删除的词加删除线，新增的词加下划线。',
  changedOnly: '只看更改',
  unchanged: '还没有更改。',
  none: '此文字稿不是由语音识别生成的。',
  gone: '原为：',
  new: '现为：',
  loading: '正在加载原始文字稿…',
};
