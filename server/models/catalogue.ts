import type { ModelDescription } from '../engines/models.ts';
import type { Source } from '../outside/model-files.ts';

// The models of `npm run models`: their licences permit use in a commercial product. Only the needed files of an archive
// are kept, under their names there.

export interface Entry {
  name: string;
  title: string;
  about: string;
  kind: ModelDescription['kind'];
  make?: 'nemo_transducer';
  languages?: string[];
  licence: string;
  credit: string;
  /** Other models that it needs. */
  needs: string[];
  sources: Source[];
}

const release = (tag: string, name: string) => `https://github.com/k2-fsa/sherpa-onnx/releases/download/${tag}/${name}`;

const source = (
  tag: string,
  name: string,
  megabytes: number,
  files: Source['files'],
  checksums: string | null = release(tag, 'checksum.txt'),
): Source => ({ url: release(tag, name), megabytes, sha256: null, checksums, files });

const whisper = (size: string, megabytes: number, about: string): Entry => ({
  name: `whisper-${size}`,
  title: `Whisper ${size}`,
  about,
  kind: 'whisper',
  licence: 'MIT',
  credit: 'OpenAI, https://github.com/openai/whisper',
  needs: ['activity'],
  sources: [
    source('asr-models', `sherpa-onnx-whisper-${size}.tar.bz2`, megabytes, {
      encoder: /-encoder\.int8\.onnx$/,
      decoder: /-decoder\.int8\.onnx$/,
      tokens: /-tokens\.txt$/,
    }),
  ],
});

export const catalogue: readonly Entry[] = [
  {
    name: 'parakeet-v3',
    title: 'Parakeet v3',
    about: '25 European languages, with the time of each word',
    kind: 'transducer',
    make: 'nemo_transducer',
    languages: [
      ...['bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'hr', 'hu', 'it'],
      ...['lt', 'lv', 'mt', 'nl', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sv', 'uk'],
    ],
    licence: 'CC-BY-4.0',
    credit: 'NVIDIA, https://huggingface.co/nvidia/parakeet-tdt-0.6b-v3',
    needs: ['activity'],
    sources: [
      source('asr-models', 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2', 490, {
        encoder: /\/encoder\.int8\.onnx$/,
        decoder: /\/decoder\.int8\.onnx$/,
        joiner: /\/joiner\.int8\.onnx$/,
        tokens: /\/tokens\.txt$/,
      }),
    ],
  },
  whisper('base', 210, 'all languages, quick and rough'),
  whisper('small', 640, 'all languages'),
  whisper('turbo', 560, 'all languages, the best of these and the slowest'),
  {
    name: 'voices',
    title: 'Voices',
    about: 'tells who speaks, beside any of those above',
    kind: 'voices',
    licence: 'MIT, Apache-2.0',
    credit:
      'pyannote, https://huggingface.co/pyannote/segmentation-3.0; 3D-Speaker, https://github.com/modelscope/3D-Speaker',
    needs: [],
    sources: [
      source(
        'speaker-segmentation-models',
        'sherpa-onnx-pyannote-segmentation-3-0.tar.bz2',
        7,
        { segmentation: /\/model\.onnx$/ },
        null,
      ),
      source('speaker-recongition-models', '3dspeaker_speech_campplus_sv_en_voxceleb_16k.onnx', 30, {
        embedding: /./,
      }),
    ],
  },
  {
    name: 'activity',
    title: 'Activity',
    about: 'finds speech; fetched along with those above',
    kind: 'activity',
    licence: 'MIT',
    credit: 'Silero, https://github.com/snakers4/silero-vad',
    needs: [],
    sources: [source('asr-models', 'silero_vad.onnx', 1, { model: /./ })],
  },
];
