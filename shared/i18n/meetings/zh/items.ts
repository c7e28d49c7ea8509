import type { MeetingTexts } from '../../texts.ts';

export const items: MeetingTexts['items'] = {
  goTo: '前往 {{time}}：{{quote}}',
  private: '仅您可见',
  waiting: '正在发送到服务器',
  somebody: '某人',
  undo: '撤销',
  selectFirst: '请先选中一些文字，或将光标放入句子中。',
  lostQuote: '此处文字已被修改，相同的文字现位于该处。',
  lostTime: '这些文字已不在文本中，这是它们的时间。',
  lostTitle_other: '{{count}} 条的文字已被修改',
  selection: '对文字发表意见',
  say: { outcome: '成果', comment: '评论' },
  highlight: {
    name: '高亮',
    in: '高亮: {{colour}}',
    remove: '移除高亮',
    colours: { yellow: '黄色', green: '绿色', blue: '蓝色', pink: '粉色', violet: '紫色' },
  },
  editor: {
    mention: '可提及的人',
    tools: '文字格式',
    bold: '加粗',
    italic: '斜体',
    bulleted: '列表',
    numbered: '编号列表',
    link: '链接',
    address: '链接地址',
    wrongAddress: '请以 https:// 开头，或输入邮箱地址。',
    setLink: '设置',
  },
  refused: {
    comment: {
      add: '您的评论未被接受。',
      change: '对评论的修改未被接受。',
      delete: '评论未能删除。',
      reveal: '该评论仍为私密。',
    },
    outcome: {
      add: '您的成果未被接受。',
      change: '对成果的修改未被接受。',
      delete: '成果未能删除。',
      reveal: '该成果仍为私密。',
    },
    why: {
      forbidden: '您在此已无权这样做。',
      gone: '它已不存在。',
      invalid: '服务器无法按原样使用它。',
      other: '服务器拒绝了它。',
    },
    copy: '复制文字',
  },
};
