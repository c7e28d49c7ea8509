import type { MeetingTexts } from '../../texts.ts';

export const whole: MeetingTexts['whole'] = {
  replace: '替换文字稿…',
  title: '替换文字稿',
  what: '文件将替换文字稿，对所有能打开此录音的人生效。',
  stays: '章节、书签、标签和摘要会保留。成果、评论和高亮会保留在能找到相同词语的地方。',
  kept: '当前文字稿会保留在版本历史中，可以恢复。',
  corrections: '当前文字稿的修改和发言人不会保留。',
  pending: '您最近的更改尚未保存，请等待保存完成。',
  offline: '您处于离线状态。请联网后替换文字稿。',
  action: '替换',
  noted: '文字稿已替换。请注意：',
  notedBack: '可以从版本历史中恢复原来的文字稿。',
  history: '打开版本历史',
  looksLike: '这个文件看起来是 {{format}}。',
  deleted: '“{{title}}”已删除',
  deletedText: '正在返回资料库。',
};
