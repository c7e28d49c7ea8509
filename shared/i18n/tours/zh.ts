import type { TourTexts } from '../texts.ts';

/** Texts of the tours, loaded when one begins. */
export const toursZh: TourTexts = {
  tours: {
    leave: '退出导览',
    never: '不再显示导览',
    back: '上一步',
    next: '下一步',
    done: '完成',
    steps: {
      add: { title: '添加录音', text: '可以在浏览器中录制，也可以添加音频、视频文件或现成的文字稿。' },
      first: {
        title: '或者试试示例',
        text: '示例录音附有三分钟的完整文字稿，您可以随意修改。',
      },
      row: { title: '打开录音', text: '录音打开后即可看到文字稿。三个点的菜单可以共享、移动或导出。' },
      search: { title: '再次找到它', text: '输入几个字即可。在本页任何位置按 / 键都会回到这里。' },
      places: { title: '他人共享的内容', text: '“与我共享”中的是他人共享给您的内容。删除的内容在一段时间内可以恢复。' },
      account: {
        title: '您的账号',
        text: '个人资料、余额、团队、帮助以及每个页面的导览都在此菜单中。',
      },
      filters: {
        title: '缩小范围',
        text: '可按发言人、标签、语言或成果显示录音。常用的搜索可以保存。',
      },
      many: {
        title: '一次处理多个',
        text: '勾选录音后，可以一起移动、比较或删除。',
      },
      text: { title: '修改文字', text: '直接在文字稿中输入。在场的人会立刻看到，并且边输入边保存。' },
      player: { title: '收听', text: '播放、放慢，或在波形上重听某处。每个字词都有对应的时间。' },
      panes: { title: '标记和评论', text: '成果、评论、您的笔记和摘要都在这里打开。' },
      share: { title: '共享', text: '邀请他人查看、评论或编辑，也可以把链接发给他们。' },
    },
  },
};
