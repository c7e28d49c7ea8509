import type { MeetingTexts } from '../texts.ts';
import { analytics } from './es/analytics.ts';
import { chat } from './es/chat.ts';
import { closing } from './es/closing.ts';
import { comments } from './es/comments.ts';
import { contents } from './es/contents.ts';
import { document } from './es/document.ts';
import { drafts } from './es/drafts.ts';
import { doubts } from './es/doubts.ts';
import { explaining } from './es/explaining.ts';
import { exporting } from './es/export.ts';
import { files } from './es/files.ts';
import { find } from './es/find.ts';
import { history } from './es/history.ts';
import { annotations } from './es/annotations.ts';
import { keys } from './es/keys.ts';
import { modelWork } from './es/model-work.ts';
import { notes } from './es/notes.ts';
import { original } from './es/original.ts';
import { outcomes } from './es/outcomes.ts';
import { player } from './es/player.ts';
import { presence } from './es/presence.ts';
import { speakers } from './es/speakers.ts';
import { suggestions } from './es/suggestions.ts';
import { summary } from './es/summary.ts';
import { voice } from './es/voice.ts';
import { whole } from './es/whole.ts';

export const meetingEs: MeetingTexts = {
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
