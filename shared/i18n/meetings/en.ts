import { analytics } from './en/analytics.ts';
import { chat } from './en/chat.ts';
import { closing } from './en/closing.ts';
import { comments } from './en/comments.ts';
import { contents } from './en/contents.ts';
import { document } from './en/document.ts';
import { drafts } from './en/drafts.ts';
import { doubts } from './en/doubts.ts';
import { explaining } from './en/explaining.ts';
import { exporting } from './en/export.ts';
import { files } from './en/files.ts';
import { find } from './en/find.ts';
import { history } from './en/history.ts';
import { annotations } from './en/annotations.ts';
import { keys } from './en/keys.ts';
import { modelWork } from './en/model-work.ts';
import { notes } from './en/notes.ts';
import { original } from './en/original.ts';
import { outcomes } from './en/outcomes.ts';
import { player } from './en/player.ts';
import { presence } from './en/presence.ts';
import { speakers } from './en/speakers.ts';
import { suggestions } from './en/suggestions.ts';
import { summary } from './en/summary.ts';
import { voice } from './en/voice.ts';
import { whole } from './en/whole.ts';

/** Texts of a recording's page, loaded with it. */
export const meetingEn = {
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
} as const;
