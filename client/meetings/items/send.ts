import { parseResponse } from 'hono/client';

import type { Api } from '../../api.ts';
import type { Answer, Command, CommandOf } from './commands.ts';

/** Each command by the call that does it. Asked twice under one id, the server does it once. */
export function sender(
  api: Api,
  id: string,
  userId: string | null,
): (command: Command, signal: AbortSignal) => Promise<Answer> {
  const meeting = api.meetings[':id'];

  function outcome(command: CommandOf<'outcome'>, param: Param, options: Options): Promise<Answer> {
    switch (command.do) {
      case 'add': {
        const { start, end, quote, anchor, type, text, children, grade, private: own } = command.item;
        const outcome = { id: command.itemId, start, end, quote, anchor, type, text, children, grade, private: own };
        return made(parseResponse(meeting.outcomes.$post({ param, json: { outcome } }, options)));
      }
      case 'change':
        return made(
          parseResponse(
            meeting.outcomes[':itemId'].update.$post({ param, json: { outcome: command.change } }, options),
          ),
        );
      case 'delete':
        return made(parseResponse(meeting.outcomes[':itemId'].$delete({ param }, options)));
      case 'reveal':
        return made(
          parseResponse(
            meeting.outcomes[':itemId'].reveal[':type'].$post({ param: { ...param, type: 'outcome' } }, options),
          ),
        );
    }
  }

  function comment(command: CommandOf<'comment'>, param: Param, options: Options): Promise<Answer> {
    switch (command.do) {
      case 'add': {
        const { start, end, quote, anchor, text, parent, private: own } = command.item;
        const json = { id: command.itemId, start, end, quote, anchor, text, parent, private: own };
        return made(parseResponse(meeting.comments.$post({ param, json }, options)));
      }
      case 'change':
        return made(parseResponse(meeting.comments[':itemId'].update.$post({ param, json: command.change }, options)));
      case 'delete':
        return made(parseResponse(meeting.comments[':itemId'].$delete({ param }, options)));
      case 'reveal':
        return made(
          parseResponse(
            meeting.outcomes[':itemId'].reveal[':type'].$post({ param: { ...param, type: 'comment' } }, options),
          ),
        );
    }
  }

  return (command, signal) => {
    const param = { id, itemId: command.itemId };
    // In this person's name or not at all: somebody else may have signed in at this browser since.
    const headers = { 'X-Request-ID': command.id, 'X-Acting-As': userId ?? '' };
    const options = { headers, init: { signal } };
    return command.kind === 'outcome' ? outcome(command, param, options) : comment(command, param, options);
  };
}

interface Param {
  id: string;
  itemId: string;
}

interface Options {
  headers: Record<string, string>;
  init: { signal: AbortSignal };
}

/** The item in an answer; null where there is none any more. */
async function made(asked: Promise<unknown>): Promise<Answer> {
  const { outcome, comment } = ((await asked) ?? {}) as { outcome?: Answer; comment?: Answer };
  return outcome ?? comment ?? null;
}
