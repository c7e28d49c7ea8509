import type { OfferedModel } from '#shared/intake.ts';
import type { HeardSegment } from '#shared/meetings/heard.ts';
import type { CutLimits, Piece } from './pieces.ts';

/** Speech recognition. Each kind of engine is one implementation; tests/contracts/engine.test.ts holds for all. */
export interface Engine {
  /** The model as offered; its name identifies it. */
  readonly offered: OfferedModel;
  /**
   * Transcribes a recording from `from` to its end, in pieces in order and without gaps; it continues when a piece was
   * accepted. Fails with EngineFailed, or with the reason of the signal.
   */
  transcribe(task: Task): Promise<void>;
}

export interface Task {
  sound: Sound;
  /** Milliseconds that are transcribed already. */
  from: number;
  lang: string;
  /** Number of speakers given by a person; 0 if unknown. */
  speakers: number;
  /** Names and terms to recognize, one on each line. */
  vocabulary: string;
  signal: AbortSignal;
  heard(piece: Heard): Promise<void>;
  /** Reports progress within a long piece, in milliseconds; the words come with `heard`. */
  progress?(until: number): void;
}

/** Speech between two times, in milliseconds of the recording; silence has no segments. */
export interface Heard {
  from: number;
  to: number;
  segments: HeardSegment[];
}

export interface Sound {
  /** Cuts the sound into pieces that end in pauses. Null if no program on this machine can read it. */
  cut: ((from: number, limits: CutLimits, take: (piece: Piece) => Promise<void>) => Promise<void>) | null;
  /** The file as uploaded. */
  file: { path: string; name: string; type: string; bytes: number };
  durationMs: number | null;
}

type EngineFailure =
  /** No answer, or only temporary errors, after all attempts. */
  | 'unreachable'
  /** Rejected: the key is wrong, the model is unknown, or the recording is not accepted. */
  | 'refused'
  /** The answer is not a transcript. */
  | 'answer'
  /** The answer takes too long. */
  | 'slow'
  /** The engine does not run: its models are damaged, or memory is insufficient. */
  | 'broken'
  /** The recording is too long for one request, and no program here can cut it. */
  | 'needs_ffmpeg';

export class EngineFailed extends Error {
  override name = 'EngineFailed';
  readonly failure: EngineFailure;

  constructor(failure: EngineFailure, why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}
