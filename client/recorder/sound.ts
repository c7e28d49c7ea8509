import { recorderLimits, type Track } from '#shared/recorder.ts';

import type { StoredTake } from './piece-store.ts';
import type { Source } from './recorder.ts';

/** Reason for no sound. `noSound`: a tab or window was shared without its sound. */
export type SoundTrouble =
  | 'refused'
  | 'missing'
  | 'busy'
  | 'unsupported'
  | 'noSound'
  | 'silent'
  | 'muted'
  | 'micEnded'
  | 'tabEnded';

export class NoSound extends Error {
  override readonly name = 'NoSound';
  readonly why: SoundTrouble;

  constructor(why: SoundTrouble, cause?: unknown) {
    super(why, { cause });
    this.why = why;
  }
}

const types = ['audio/webm;codecs=opus', 'audio/webm', 'audio/mp4', 'audio/ogg;codecs=opus'] as const;
const bitsPerSecond = 32_000;
/** Bytes of the largest piece that is sent; the rest becomes another one. */
const largest = recorderLimits.pieceBytes / 2;

/** Tracks this browser can record; empty on insecure origins and in browsers without recording. */
export function recordableTracks(): Track[] {
  const devices = (navigator as { mediaDevices?: Partial<MediaDevices> }).mediaDevices;
  if (typeof MediaRecorder !== 'function' || !types.some((type) => MediaRecorder.isTypeSupported(type))) return [];
  return [
    ...(devices?.getUserMedia ? (['mic'] as const) : []),
    ...(devices?.getDisplayMedia ? (['tab'] as const) : []),
  ];
}

/** Asks for the sound of a track. Must follow a press of the person. */
export async function openSource(track: Track, withOthers: boolean): Promise<Source> {
  try {
    const stream = track === 'mic' ? await openMicrophone(withOthers) : await openTab();
    return sourceOf(stream);
  } catch (error) {
    throw error instanceof NoSound ? error : new NoSound(reasonOf(error), error);
  }
}

const openMicrophone = (withOthers: boolean): Promise<MediaStream> =>
  navigator.mediaDevices.getUserMedia({
    // With the sound of a tab, the loudspeaker would be recorded twice.
    audio: { echoCancellation: withOthers, noiseSuppression: true, autoGainControl: true },
  });

async function openTab(): Promise<MediaStream> {
  const stream = await navigator.mediaDevices.getDisplayMedia({ video: true, audio: true });
  // Browsers share no sound without a picture; it is not used.
  for (const one of stream.getVideoTracks()) one.stop();
  const sounds = stream.getAudioTracks();
  if (sounds.length === 0) throw new NoSound('noSound');
  return new MediaStream(sounds);
}

function reasonOf(error: unknown): SoundTrouble {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return name === 'NotSupportedError' ? 'unsupported' : 'busy';
}

function sourceOf(stream: MediaStream): Source {
  const [track] = stream.getAudioTracks();
  const meter = meterOf(stream);
  return {
    get alive() {
      return track?.readyState === 'live';
    },
    level: meter.level,
    capture(events) {
      const wanted = types.find((type) => MediaRecorder.isTypeSupported(type)) ?? types[0];
      const media = new MediaRecorder(stream, { mimeType: wanted, audioBitsPerSecond: bitsPerSecond });
      let last = Promise.resolve();
      media.addEventListener('dataavailable', ({ data }) => {
        last = last.then(async () => {
          const bytes = new Uint8Array(await data.arrayBuffer());
          for (let from = 0; from < bytes.byteLength; from += largest) events.piece(bytes.slice(from, from + largest));
        });
      });
      media.addEventListener('stop', () => void last.then(events.stopped));
      media.start(recorderLimits.pieceMs);
      return { type: wanted satisfies StoredTake['type'], stop: () => media.state !== 'inactive' && media.stop() };
    },
    watch({ ended, muted, unmuted }) {
      track?.addEventListener('ended', ended);
      track?.addEventListener('mute', muted);
      track?.addEventListener('unmute', unmuted);
    },
    close() {
      for (const one of stream.getTracks()) one.stop();
      meter.close();
    },
  };
}

function meterOf(stream: MediaStream): { level: () => number | null; close: () => void } {
  try {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 1024;
    const samples = new Float32Array(analyser.fftSize);
    context.createMediaStreamSource(stream).connect(analyser);
    return {
      level() {
        if (context.state !== 'running') return null;
        analyser.getFloatTimeDomainData(samples);
        const power = samples.reduce((sum, one) => sum + one * one, 0) / samples.length;
        // Maps -60 dB to 0, and 0 dB to 1.
        return power === 0 ? 0 : Math.min(1, Math.max(0, 1 + (10 * Math.log10(power)) / 60));
      },
      close: () => void context.close().catch(() => {}),
    };
  } catch {
    // Recording works without the level.
    return { level: () => null, close: () => {} };
  }
}
