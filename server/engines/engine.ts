import type { OfferedModel } from '#shared/intake.ts';
import type { HeardSegment } from '#shared/meetings/heard.ts';
import type { CutLimits, Piece } from './pieces.ts';

/** Writes down what is said. Each kind of it is one implementation; tests/contracts/engine.test.ts holds for all. */
export interface Engine {
  /** As it is offered; its name is the model's. */
  readonly offered: OfferedModel;
  /**
   * Hears a recording from `from` on to its end, and hands over what it heard piece by piece, in their order and without
   * gaps between them; it goes on when a piece was taken. Fails with EngineFailed, or with the reason of the signal.
   */
  transcribe(task: Task): Promise<void>;
}

export interface Task {
  sound: Sound;
  /** Milliseconds that need not be heard again. */
  from: number;
  /** One of recordingLanguages. */
  lang: string;
  /** As many as somebody says there are; 0 where nobody does. */
  speakers: number;
  /** Names and terms to listen for, one a line. */
  vocabulary: string;
  signal: AbortSignal;
  heard(piece: Heard): Promise<void>;
  /** Milliseconds up to which it has listened, where a piece takes long; what it heard is not handed over by it. */
  progress?(until: number): void;
}

/** What was said between two moments, in milliseconds of the recording; nothing, where there are no segments. */
export interface Heard {
  from: number;
  to: number;
  segments: HeardSegment[];
}

export interface Sound {
  /** In pieces that end where it is quiet. Null where no program of this machine can read it. */
  cut: ((from: number, limits: CutLimits, take: (piece: Piece) => Promise<void>) => Promise<void>) | null;
  /** As somebody sent it. */
  file: { path: string; name: string; type: string; bytes: number };
  durationMs: number | null;
}

type EngineFailure =
  /** Nobody answers there, or only with an excuse, however often it is asked. */
  | 'unreachable'
  /** It does not want to: the key is wrong, the model is unknown, the recording is not to its liking. */
  | 'refused'
  /** It answered something else than a transcript. */
  | 'answer'
  /** It takes longer than anybody waits. */
  | 'slow'
  /** It does not run: its models are damaged, or its memory is not enough. */
  | 'broken'
  /** It takes no recording of this length as a whole, and nothing here can cut it. */
  | 'needs_ffmpeg';

export class EngineFailed extends Error {
  override name = 'EngineFailed';
  readonly failure: EngineFailure;

  constructor(failure: EngineFailure, why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}
