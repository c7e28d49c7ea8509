import type { MeetingTexts } from '../../texts.ts';

export const doubts: MeetingTexts['doubts'] = {
  title: '待核对的词',
  left_other: '还有 {{count}} 个词待核对',
  taken_other: '其他人正在核对其中 {{count}} 个',
  done: '没有待核对的词了。',
  unknown: '此文字稿没有注明哪些词不确定。',
  off: '未标出待核对的词。',
  previous: '上一个',
  next: '下一个',
  accept: '正确',
  how: '“下一个”会播放该词及其前后各一秒。直接输入即可改写，或将其标为正确。',
  howReading: '“下一个”会播放该词及其前后各一秒。',
  threshold: '标出哪些词',
  thresholds: {
    none: '不标出',
    worst: '仅最可疑的',
    usual: '可疑的',
    more: '略有可疑的也标出',
  },
  insertTag: '插入声音标记',
  tags: {
    inaudible: '听不清',
    crosstalk: '多人同时说话',
    laughter: '笑声',
    music: '音乐',
    applause: '掌声',
    silence: '静默',
    foreign: '外语',
  },
};
