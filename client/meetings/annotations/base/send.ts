import { parseResponse } from 'hono/client';

import type { Api } from '../../../api.ts';
import { NotUploaded, voiceOf } from './recordings.ts';
import type { Answer, Command, CommandOf } from './commands.ts';
import { failureOf } from './queue.ts';

/** Each command by the call that does it. Asked twice under one id, the server does it once. */
export function sender(
  api: Api,
  id: string,
  userId: string | null,
  /** Told when a sound did not arrive, whatever comes of it. */
  notUploaded: (command: Command) => void = () => {},
  /** Whether the whole recording is closed to this person by now. */
  closed: () => Promise<boolean> = () => Promise.resolve(false),
): (command: Command, signal: AbortSignal) => Promise<Answer> {
  const meeting = api.meetings[':id'];
  /** Of sounds that are there already: their items are still to be sent, or sent again. */
  const addresses = new Map<string, string>();

  async function addressOf(command: Command, options: Options): Promise<string | null> {
    const voice = voiceOf(command);
    const known = addresses.get(command.itemId);
    if (!voice || known !== undefined) return known ?? null;
    const form = new FormData();
    form.set('type', command.kind === 'outcome' ? 'vnote' : 'vcomment');
    form.set('file', voice, 'voice');
    // Under the command's id, too: asked twice, the sound is there once.
    const { headers } = options;
    const { signal } = options.init;
    try {
      const { url } = await parseResponse(
        meeting.attachment.$post({ param: { id } }, { headers, init: { signal, body: form } }),
      );
      addresses.set(command.itemId, url);
      return url;
    } catch (error) {
      if (signal.aborted) throw error;
      notUploaded(command);
      throw new NotUploaded(failureOf(error), error);
    }
  }

  async function outcome(command: CommandOf<'outcome'>, param: Param, options: Options): Promise<Answer> {
    switch (command.do) {
      case 'add': {
        const { start, end, quote, anchor, type, text, children, grade, private: own } = command.item;
        const place = { id: command.itemId, start, end, quote, anchor, private: own };
        const url = await addressOf(command, options);
        const outcome = { ...place, type, text, children, grade, url };
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

  async function comment(command: CommandOf<'comment'>, param: Param, options: Options): Promise<Answer> {
    switch (command.do) {
      case 'add': {
        const { start, end, quote, anchor, text, parent, private: own } = command.item;
        const url = await addressOf(command, options);
        const json = { id: command.itemId, start, end, quote, anchor, text, parent, private: own, url };
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
    const options = { headers, init: { signal, keepalive: isSmall(command) } };
    const sent = command.kind === 'outcome' ? outcome(command, param, options) : comment(command, param, options);
    return sent.catch(async (error: unknown) => {
      const { status } = failureOf(error);
      // Its sound may be gone where it waited for more than a day: it is sent once more, then.
      if (status === 422) addresses.delete(command.itemId);
      if ((status === 403 || status === 404) && !signal.aborted && (await closed())) throw new ShutOut(error);
      throw error;
    });
  };
}

/** Nothing of what waits is given up: it is shown at the closed door, or sent when the door is opened again. */
class ShutOut extends Error {
  override readonly name = 'ShutOut';
  readonly status = 401;

  constructor(cause: unknown) {
    super('the recording is closed', { cause });
  }
}

interface Param {
  id: string;
  itemId: string;
}

interface Options {
  headers: Record<string, string>;
  init: { signal: AbortSignal; keepalive: boolean };
}

/** It goes on when the page is closed; what is longer than this, in letters of three bytes, a browser refuses then. */
const isSmall = (command: Command): boolean => JSON.stringify(command).length < 20_000;

/** The item in an answer; null where there is none any more. */
async function made(asked: Promise<unknown>): Promise<Answer> {
  const { outcome, comment } = ((await asked) ?? {}) as { outcome?: Answer; comment?: Answer };
  return outcome ?? comment ?? null;
}
