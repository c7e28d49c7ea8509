import type { MeetingTexts } from '../../texts.ts';

export const contents: MeetingTexts['contents'] = {
  lists: {
    toc: {
      title: '目录',
      empty: '还没有章节',
      emptyText: '为录音的各部分命名，方便大家查找。',
      new: '新章节',
      hint: '从您当前位置之前五秒开始。',
    },
    bookmarks: {
      title: '书签',
      empty: '还没有书签',
      emptyText: '在想要返回的位置按 Alt+B。',
      new: '新书签',
      hint: '放在您在录音中的当前位置。',
    },
  },
  emptyReading: '还没有人添加。',
  add: '添加到此处',
  name: '名称',
  save: '保存',
  rename: '重命名{{name}}',
  remove: '移除{{name}}',
  removed: '已移除{{name}}。',
  gone: '有人已将它移除。您可以用这个名称重新添加。',
  addAgain: '重新添加',
  undo: '撤销',
  unnamed: '未命名',
  bookmarked: '已在 {{time}} 设置书签。',
};
