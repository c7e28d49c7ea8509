import type { MeetingTexts } from '../../texts.ts';

export const analytics: MeetingTexts['analytics'] = {
  counting: '正在统计…',
  empty: '还没有可统计的内容',
  emptyText: '文字稿有带时间的词语后，这里会显示谁发了言、说了多久、语速多快。',
  summary: '录音数据',
  length: '时长',
  speech: '发言',
  silence: '静默',
  ofLength: '{{value}}（{{share}}）',
  longestSilence: '前往最长的静默',
  questionsAll: '提问',
  speakers: '发言人',
  bars: {
    share: {
      title: '发言占比',
      leads: '点击条形，前往该发言人说得最久之处。',
      leadsTouch: '点按条形，前往该发言人说得最久之处。',
    },
    turns: {
      title: '发言次数',
      leads: '点击条形，前往该发言人的下一次发言。',
      leadsTouch: '点按条形，前往该发言人的下一次发言。',
    },
    pace: {
      title: '语速',
      leads: '每分钟词数。点击条形，前往该发言人语速最快之处。',
      leadsTouch: '每分钟词数。点按条形，前往该发言人语速最快之处。',
    },
    questions: {
      title: '提问',
      leads: '点击条形，前往该发言人的下一个提问。',
      leadsTouch: '点按条形，前往该发言人的下一个提问。',
    },
  },
  go: {
    share: '{{name}}：{{value}}。前往其发言最长之处',
    turns: '{{name}}：{{value}}。前往其下一次发言',
    pace: '{{name}}：每分钟 {{value}} 词。前往其语速最快之处',
    questions: '{{name}}：{{value}}。前往其下一个提问',
  },
  overTime: {
    title: '随时间变化',
    leads: '每一列是录音的一部分：越高，说得越多。点击即可前往。',
    leadsTouch: '每一列是录音的一部分：越高，说得越多。点按即可前往。',
    lane: '{{name}}，逐段',
    part: '{{name}}，{{from}} 至 {{to}}：发言 {{seconds}} 秒',
  },
  outcomesOverTime: {
    title: '成果随时间的分布',
    leads: '每一列是录音的一部分：越高，成果越多。点击即可前往下一个成果。',
    leadsTouch: '每一列是录音的一部分：越高，成果越多。点按即可前往下一个成果。',
    lane: '{{name}}，逐段',
    part_other: '{{name}}，{{from}} 至 {{to}}：{{count}} 个成果',
  },
  table: {
    show: '以表格显示',
    caption: '每位发言人的数据',
    speaker: '发言人',
    talk: '时间',
    share: '占比',
    turns: '发言次数',
    longest: '最长一次',
    words: '词数',
    pace: '每分钟词数',
    questions: '提问',
  },
};
