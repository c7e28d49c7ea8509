import type { MeetingTexts } from '../../texts.ts';

export const notes: MeetingTexts['notes'] = {
  title: '我的笔记',
  private: '只有您能看到这些笔记。输入时自动保存。',
  field: '您对这段录音的笔记',
  placeholder: '写下您想记住的内容…',
  closed: '目前无法修改您的笔记。',
  tools: '格式',
  bold: '粗体',
  italic: '斜体',
  heading: '标题',
  bullets: '项目符号列表',
  numbers: '编号列表',
  tasks: '任务列表',
  quote: '引用',
};
