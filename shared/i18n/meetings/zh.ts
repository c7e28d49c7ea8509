import type { MeetingTexts } from '../texts.ts';
import { analytics } from './zh/analytics.ts';
import { chat } from './zh/chat.ts';
import { closing } from './zh/closing.ts';
import { comments } from './zh/comments.ts';
import { contents } from './zh/contents.ts';
import { document } from './zh/document.ts';
import { drafts } from './zh/drafts.ts';
import { doubts } from './zh/doubts.ts';
import { explaining } from './zh/explaining.ts';
import { exporting } from './zh/export.ts';
import { files } from './zh/files.ts';
import { find } from './zh/find.ts';
import { history } from './zh/history.ts';
import { annotations } from './zh/annotations.ts';
import { keys } from './zh/keys.ts';
import { modelWork } from './zh/model-work.ts';
import { notes } from './zh/notes.ts';
import { original } from './zh/original.ts';
import { outcomes } from './zh/outcomes.ts';
import { player } from './zh/player.ts';
import { presence } from './zh/presence.ts';
import { speakers } from './zh/speakers.ts';
import { suggestions } from './zh/suggestions.ts';
import { summary } from './zh/summary.ts';
import { voice } from './zh/voice.ts';
import { whole } from './zh/whole.ts';

export const meetingZh: MeetingTexts = {
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
