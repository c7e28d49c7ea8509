import type { MeetingTexts } from '../texts.ts';
import { analytics } from './ru/analytics.ts';
import { chat } from './ru/chat.ts';
import { closing } from './ru/closing.ts';
import { comments } from './ru/comments.ts';
import { contents } from './ru/contents.ts';
import { document } from './ru/document.ts';
import { drafts } from './ru/drafts.ts';
import { doubts } from './ru/doubts.ts';
import { explaining } from './ru/explaining.ts';
import { exporting } from './ru/export.ts';
import { files } from './ru/files.ts';
import { find } from './ru/find.ts';
import { history } from './ru/history.ts';
import { annotations } from './ru/annotations.ts';
import { keys } from './ru/keys.ts';
import { modelWork } from './ru/model-work.ts';
import { notes } from './ru/notes.ts';
import { original } from './ru/original.ts';
import { outcomes } from './ru/outcomes.ts';
import { player } from './ru/player.ts';
import { presence } from './ru/presence.ts';
import { speakers } from './ru/speakers.ts';
import { suggestions } from './ru/suggestions.ts';
import { summary } from './ru/summary.ts';
import { voice } from './ru/voice.ts';
import { whole } from './ru/whole.ts';

export const meetingRu: MeetingTexts = {
  analytics,
  chat,
  closing,
  comments,
  contents,
  document,
  doubts,
  drafts,
  explaining,
  export: exporting,
  files,
  find,
  history,
  annotations,
  keys,
  modelWork,
  notes,
  original,
  outcomes,
  player,
  presence,
  speakers,
  suggestions,
  summary,
  voice,
  whole,
};
