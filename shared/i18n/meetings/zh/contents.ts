import type { MeetingTexts } from '../../texts.ts';

export const contents: MeetingTexts['contents'] = {
  lists: {
    toc: {
      title: '目录',
      empty: '还没有章节',
      emptyText: '添加章节，方便大家找到录音的各个部分。',
      new: '新章节',
      hint: '从当前位置之前五秒开始。',
    },
    bookmarks: {
      title: '书签',
      empty: '还没有书签',
      emptyText: '按 Alt+B 为当前位置添加书签。',
      emptyTouch: '在当前位置添加书签。',
      new: '新书签',
      hint: '设置在当前位置。',
    },
  },
  emptyReading: '还没有人添加。',
  add: '添加到此处',
  name: '名称',
  save: '保存',
  rename: '重命名{{name}}',
  remove: '移除{{name}}',
  removed: '已移除{{name}}',
  gone: '有人已将它移除。您可以用这个名称重新添加。',
  addAgain: '重新添加',
  undo: '撤销',
  unnamed: '未命名',
  bookmarked: '已在 {{time}} 添加书签',
};
