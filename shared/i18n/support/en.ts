/** Texts of questions to support that a model answers, loaded with them. */
export const supportEn = {
  supportChat: {
    greeting: 'Ask how something works. I answer from the guide.',
    question: 'Your question',
    send: 'Send',
    log: 'Conversation',
    typing: 'Looking in the guide…',
    unknown: 'I don’t know. The guide doesn’t say. The product team can help.',
    people: 'Contact the product team',
    solved: 'That helped',
    ended: 'This conversation has ended.',
    again: 'Start a new conversation',
    mistakes: 'AI support can make mistakes. Check the pages it names.',
    local: 'Your questions stay on this server.',
    sent: 'Your questions are sent to {{host}}.',
    away: 'Couldn’t get an answer. Try again, or contact the product team.',
    moved: 'Questions go elsewhere now, as you see below. Send it again if you agree.',
  },
};
