import type { MeetingTexts } from '../../texts.ts';

export const whole: MeetingTexts['whole'] = {
  replace: '替换文字稿…',
  title: '替换文字稿',
  what: '另一个文件将取代这段文本，对所有能打开此录音的人生效。',
  stays: '目录、书签、高亮、标签和摘要会保留。成果、评论和高亮会放在能再次找到相同词语的地方。',
  kept: '现在的文本保留在历史记录中，可以从那里恢复。',
  corrections: '对这段文本的更正和发言人不会带过去。',
  pending: '您最近的更改尚未保存，保存后才能替换。',
  offline: '没有连接时无法替换。',
  action: '替换',
  done: '文字稿已替换。旧的在历史记录中。',
  noted: '文本已替换。请注意：',
  notedBack: '可以从历史记录中恢复原来的文本。',
  history: '打开历史记录',
  looksLike: '这个文件看起来是 {{format}}。',
  deleted: '“{{title}}”已删除',
  deletedText: '正在返回录音库。',
};
