import type { MeetingTexts } from '../../texts.ts';

export const drafts: MeetingTexts['drafts'] = {
  title: {
    summary: '摘要草稿',
    chapters: '章节草稿',
  },
  about: {
    summary: '语言模型会起草要点，并附上文字稿中的原话。只有您能看到。您接受的内容会成为您自己的要点，可以发布。',
    chapters: '语言模型会建议章节，并附上文字稿中的原话。只有您能看到。您接受的章节所有人可见。',
  },
  make: {
    summary: '起草摘要',
    chapters: '建议章节',
  },
  again: '重新起草',
  price: '每份草稿 {{price}}，内容见于文字稿才收取。',
  stop: '停止起草',
  accept: '接受',
  edit: '编辑',
  reject: '拒绝',
  save: '保存',
  text: '文本',
  card: '草稿：{{text}}',
  list: '待接受或拒绝的草稿',
  full: '无法再添加要点。',
  accepted: {
    summary: '已添加到您的要点。',
    chapters: '已添加章节。',
  },
  edited: {
    summary: '此后您已编辑或发布该要点，予以保留。',
    chapters: '此后该章节已被更改，予以保留。',
  },
  rejected: '已拒绝，不会再次起草。',
  notDecided: '未保存。请检查网络连接后再决定。',
  notLoaded: '无法加载草稿。请检查网络连接后重试。',
  none: '没有新内容。',
  plays: '依据的原话',
  found_other: '{{count}} 条新内容。',
};
