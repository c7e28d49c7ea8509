import type { MeetingTexts } from '../../texts.ts';

export const explaining: MeetingTexts['explaining'] = {
  open: '解释此评分',
  openOf: '解释此评分：{{name}}',
  title: '评分解释：{{name}}',
  about: '语言模型会说明它会给出的评分，附上文字稿中的原话，并说明为何不是下一级评分。只有您能看到，评估本身不会改变。',
  sent: '发送的内容包括文字稿、发言人姓名、章节，以及此项能力的说明和各级评分。花括号中的文字不会发送。',
  price: '每次解释 {{price}}，文字稿中有原话支持评分才收取。',
  again: '重新解释',
  stop: '停止解释',
  gives: '模型会给出',
  next: '为何不是下一级评分（{{grade}}）',
  differs: '评估中的评分与此不同，予以保留：',
  by: '{{model}}，{{date}}',
  none: '未找到依据。没有文字稿中的原话就没有评分。',
  gone: '支持评分的原话已不在文字稿中。',
  loading: '正在加载解释…',
  notLoaded: '无法加载解释。请检查网络连接后重试。',
  noRight: '您现在不能查看模型对这份评估的说法。',
};
