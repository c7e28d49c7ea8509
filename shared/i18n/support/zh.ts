import type { SupportTexts } from '../texts.ts';

export const supportZh: SupportTexts = {
  supportChat: {
    greeting: '请问您想了解什么？我会根据使用指南回答。',
    question: '您的问题',
    send: '发送',
    log: '对话',
    typing: '正在查找使用指南…',
    unknown: '我不知道，使用指南中没有说明。产品团队可以帮助您。',
    people: '联系产品团队',
    solved: '问题已解决',
    ended: '对话已结束。',
    again: '开始新的对话',
    mistakes: 'AI 客服可能出错，请核对它列出的页面。',
    local: '您的问题不会离开此服务器。',
    sent: '您的问题会发送到 {{host}}。',
    away: '未能获得回答。请重试，或联系产品团队。',
    moved: '问题现在会发送到别处，请看下方说明。如果同意，请再次发送。',
  },
};
