import { attachmentBytes, longestVoiceMs } from '#shared/attachments.ts';
import { Signal } from '#shared/signal.ts';

/** Recorded voice note. */
export interface Recording {
  blob: Blob;
  ms: number;
}

type WhyNot = 'refused' | 'missing' | 'busy' | 'unsupported' | 'silent';

type RecorderState =
  | { is: 'idle' }
  /** The browser asks for permission. */
  | { is: 'asking' }
  | { is: 'recording'; ms: number }
  | { is: 'failed'; why: WhyNot };

/** Formats in order of preference; the server accepts them all. */
const formats = ['audio/webm;codecs=opus', 'audio/mp4;codecs=mp4a.40.2', 'audio/mp4', 'audio/ogg;codecs=opus'];
const bitsPerSecond = 48_000;
const tick = 200;

/** One microphone, from opening to closing. */
export class Recorder {
  private state: RecorderState = { is: 'idle' };
  private readonly signal = new Signal();
  private done: (recording: Recording) => void = () => {};
  /** Number of the current attempt; results of earlier ones are ignored. */
  private run = 0;
  private stream: MediaStream | null = null;
  private media: MediaRecorder | null = null;
  private sound: AudioContext | null = null;
  private analyser: AnalyserNode | null = null;
  private timer: ReturnType<typeof setInterval> | undefined;
  private begun = 0;

  /** Sets the receiver of the recording; called even after the field was unmounted. */
  onDone(done: (recording: Recording) => void): void {
    this.done = done;
  }

  readonly subscribe = this.signal.subscribe;

  readonly now = (): RecorderState => this.state;

  private set(state: RecorderState): void {
    this.state = state;
    this.signal.emit();
  }

  async start(): Promise<void> {
    this.close();
    const run = this.run;
    // Missing on insecure origins and in browsers without recording.
    const devices = (navigator as { mediaDevices?: MediaDevices }).mediaDevices;
    if (!devices || typeof MediaRecorder !== 'function') return this.set({ is: 'failed', why: 'unsupported' });
    this.set({ is: 'asking' });
    try {
      const stream = await devices.getUserMedia({
        audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
      });
      if (run !== this.run) return release(stream);
      this.stream = stream;
      this.record(stream, run);
    } catch (error) {
      if (run !== this.run) return;
      this.close();
      this.set({ is: 'failed', why: reasonOf(error) });
    }
  }

  private record(stream: MediaStream, run: number): void {
    const type = formats.find((one) => MediaRecorder.isTypeSupported(one));
    const media = new MediaRecorder(stream, {
      audioBitsPerSecond: bitsPerSecond,
      ...(type !== undefined && { mimeType: type }),
    });
    const pieces: Blob[] = [];
    let bytes = 0;
    media.addEventListener('dataavailable', ({ data }) => {
      pieces.push(data);
      bytes += data.size;
      if (bytes > attachmentBytes / 2) this.stop();
    });
    media.addEventListener('stop', () => {
      if (run !== this.run) return;
      const ms = performance.now() - this.begun;
      this.close();
      if (bytes === 0) return this.set({ is: 'failed', why: 'silent' });
      // Handed over before the state changes, so that the recording is never without a holder.
      this.done({ blob: new Blob(pieces, { type: media.mimeType.replace(/;.*/, '') }), ms });
      this.set({ is: 'idle' });
    });
    media.addEventListener('error', () => this.stop());
    this.media = media;
    this.listen(stream);
    media.start(1_000);
    this.begun = performance.now();
    this.set({ is: 'recording', ms: 0 });
    this.timer = setInterval(() => {
      const ms = performance.now() - this.begun;
      if (ms > longestVoiceMs - 1_000) this.stop();
      else this.set({ is: 'recording', ms });
    }, tick);
  }

  private listen(stream: MediaStream): void {
    try {
      this.sound = new AudioContext();
      this.analyser = this.sound.createAnalyser();
      this.analyser.fftSize = 1_024;
      this.sound.createMediaStreamSource(stream).connect(this.analyser);
    } catch {
      // Recording works without the level meter.
      this.analyser = null;
    }
  }

  /** Current loudness from 0 to 1. */
  level(): number {
    const { analyser } = this;
    if (!analyser) return 0;
    const samples = new Float32Array(analyser.fftSize);
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, one) => sum + one * one, 0) / samples.length;
    // Maps -60 dB to 0, and 0 dB to 1.
    return power === 0 ? 0 : Math.min(1, Math.max(0, 1 + (10 * Math.log10(power)) / 60));
  }

  stop(): void {
    if (this.media && this.media.state !== 'inactive') this.media.stop();
  }

  /** The field was unmounted: keeps what was recorded so far. */
  readonly leave = (): void => {
    if (this.state.is === 'recording') this.stop();
    else this.cancel();
  };

  /** Discards the recording. */
  readonly cancel = (): void => {
    this.close();
    this.set({ is: 'idle' });
  };

  private close(): void {
    this.run += 1;
    clearInterval(this.timer);
    const { media } = this;
    this.media = null;
    if (media && media.state !== 'inactive') media.stop();
    if (this.stream) release(this.stream);
    this.stream = null;
    this.analyser = null;
    void this.sound?.close().catch(() => {});
    this.sound = null;
  }
}

/** Also turns off the browser's microphone indicator. */
const release = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop();
};

function reasonOf(error: unknown): WhyNot {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return name === 'NotSupportedError' ? 'unsupported' : 'busy';
}
