// Models that recognise two words, «low» and «high», in a deep and a shrill tone, and two speakers in the same way:
// small enough to be written down here, and run by the same library as the large ones.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { descriptionFile, type ModelDescription } from '#server/engines/models.ts';
import { pieceRate } from '#server/engines/pieces.ts';
import { onnx } from './onnx.ts';

export const deep = 400;
export const shrill = 3500;

/** Samples of one tone. */
export function tone(hertz: number, seconds: number): Buffer {
  const samples = Buffer.alloc(Math.round(seconds * pieceRate) * 2);
  for (let nth = 0; nth * 2 < samples.length; nth += 1)
    samples.writeInt16LE(Math.round(12_000 * Math.sin((2 * Math.PI * hertz * nth) / pieceRate)), nth * 2);
  return samples;
}

/** Speech is wherever the sound is loud. */
const activity = () =>
  onnx({
    inputs: {
      input: { kind: 'float', shape: [1, 'n'] },
      state: { kind: 'float', shape: [2, 1, 128] },
      sr: { kind: 'int64', shape: [1] },
    },
    outputs: { output: { kind: 'float', shape: [1, 1] }, stateN: { kind: 'float', shape: [2, 1, 128] } },
    constants: {
      soft: { kind: 'float', shape: [1], values: [0.01] },
      much: { kind: 'float', shape: [1], values: [1e6] },
      none: { kind: 'float', shape: [], values: [0] },
      all: { kind: 'float', shape: [], values: [1] },
    },
    steps: [
      ['Mul', ['input', 'input'], ['power']],
      ['ReduceMean', ['power'], ['mean'], { axes: [1], keepdims: 1 }],
      ['Sub', ['mean', 'soft'], ['over']],
      ['Mul', ['over', 'much'], ['sure']],
      ['Clip', ['sure', 'none', 'all'], ['output']],
      ['Identity', ['state'], ['stateN']],
    ],
  });

/** For each 40 ms: whether the deep or the shrill ones of its 80 bands are louder. */
const encoder = () =>
  onnx({
    inputs: { x: { kind: 'float', shape: ['n', 't', 80] }, x_lens: { kind: 'int64', shape: ['n'] } },
    outputs: {
      encoder_out: { kind: 'float', shape: ['n', 'u', 3] },
      encoder_out_lens: { kind: 'int64', shape: ['n'] },
    },
    constants: {
      zero: { kind: 'int64', shape: [1], values: [0] },
      middle: { kind: 'int64', shape: [1], values: [40] },
      end: { kind: 'int64', shape: [1], values: [80] },
      bands: { kind: 'int64', shape: [1], values: [2] },
      unsure: { kind: 'float', shape: [1], values: [4] },
      four: { kind: 'int64', shape: [1], values: [4] },
    },
    steps: [
      ['Slice', ['x', 'zero', 'middle', 'bands'], ['lower']],
      ['Slice', ['x', 'middle', 'end', 'bands'], ['upper']],
      ['ReduceMax', ['lower'], ['deep'], { axes: [2], keepdims: 1 }],
      ['ReduceMax', ['upper'], ['shrill'], { axes: [2], keepdims: 1 }],
      ['Sub', ['deep', 'shrill'], ['deeper']],
      ['Sub', ['shrill', 'deep'], ['shriller']],
      ['Sub', ['deeper', 'deeper'], ['nothing']],
      ['Sub', ['deeper', 'unsure'], ['low']],
      ['Sub', ['shriller', 'unsure'], ['high']],
      ['Concat', ['nothing', 'low', 'high'], ['frames'], { axis: 2 }],
      ['Transpose', ['frames'], ['turned'], { perm: [0, 2, 1] }],
      ['AveragePool', ['turned'], ['fewer'], { kernel_shape: [4], strides: [4] }],
      ['Transpose', ['fewer'], ['encoder_out'], { perm: [0, 2, 1] }],
      ['Div', ['x_lens', 'four'], ['encoder_out_lens']],
    ],
    metadata: { model_type: 'zipformer2' },
  });

/** A continuing tone is no second word. */
const decoder = () =>
  onnx({
    inputs: { y: { kind: 'int64', shape: ['n', 2] } },
    outputs: { decoder_out: { kind: 'float', shape: ['n', 3] } },
    constants: {
      last: { kind: 'int64', shape: [], values: [1] },
      table: { kind: 'float', shape: [3, 3], values: [0, 0, 0, 0, -1000, 0, 0, 0, -1000] },
    },
    steps: [
      ['Gather', ['y', 'last'], ['token'], { axis: 1 }],
      ['Gather', ['table', 'token'], ['decoder_out'], { axis: 0 }],
    ],
    metadata: { context_size: 2, vocab_size: 3 },
  });

const joiner = () =>
  onnx({
    inputs: { encoder_out: { kind: 'float', shape: ['n', 3] }, decoder_out: { kind: 'float', shape: ['n', 3] } },
    outputs: { logit: { kind: 'float', shape: ['n', 3] } },
    steps: [['Add', ['encoder_out', 'decoder_out'], ['logit']]],
    metadata: { joiner_dim: 3 },
  });

/**
 * For each 17 ms: silence, the first or the second speaker; the other four classes are for further speakers and two at
 * once.
 */
const segmentation = () =>
  onnx({
    inputs: { x: { kind: 'float', shape: ['n', 1, 't'] } },
    outputs: { y: { kind: 'float', shape: ['n', 'u', 7] } },
    constants: {
      slope: { kind: 'float', shape: [1, 1, 2], values: [-1, 1] },
      soft: { kind: 'float', shape: [1], values: [0.01] },
      share: { kind: 'float', shape: [1], values: [0.3] },
      never: { kind: 'float', shape: [1], values: [-1000] },
    },
    steps: [
      ['Conv', ['x', 'slope'], ['steep'], { pads: [1, 0] }],
      ['Mul', ['x', 'x'], ['power']],
      ['Mul', ['steep', 'steep'], ['steepness']],
      ['AveragePool', ['power'], ['loud'], { kernel_shape: [991], strides: [270] }],
      ['AveragePool', ['steepness'], ['fast'], { kernel_shape: [991], strides: [270] }],
      ['Mul', ['loud', 'share'], ['part']],
      ['Sub', ['loud', 'soft'], ['speech']],
      ['Sub', ['part', 'fast'], ['slower']],
      ['Sub', ['fast', 'part'], ['faster']],
      // Each speaker is active where the sound is loud and of their kind.
      ['Min', ['speech', 'slower'], ['deep']],
      ['Min', ['speech', 'faster'], ['shrill']],
      ['Sub', ['loud', 'loud'], ['nobody']],
      ['Add', ['nobody', 'never'], ['other']],
      ['Concat', ['nobody', 'deep', 'shrill', 'other', 'other', 'other', 'other'], ['classes'], { axis: 1 }],
      ['Transpose', ['classes'], ['y'], { perm: [0, 2, 1] }],
    ],
    metadata: {
      num_speakers: 3,
      powerset_max_classes: 2,
      num_classes: 7,
      sample_rate: pieceRate,
      window_size: 160_000,
      receptive_field_size: 991,
      receptive_field_shift: 270,
      model_type: 'pyannote-segmentation-3.0',
    },
  });

/** Measures how deep and how shrill a speaker is. */
const embedding = () =>
  onnx({
    inputs: { x: { kind: 'float', shape: ['n', 't', 80] } },
    outputs: { embedding: { kind: 'float', shape: ['n', 2] } },
    constants: {
      zero: { kind: 'int64', shape: [1], values: [0] },
      middle: { kind: 'int64', shape: [1], values: [40] },
      end: { kind: 'int64', shape: [1], values: [80] },
      bands: { kind: 'int64', shape: [1], values: [1] },
      little: { kind: 'float', shape: [1], values: [0.01] },
    },
    steps: [
      ['ReduceMean', ['x'], ['mean'], { axes: [1], keepdims: 0 }],
      ['Slice', ['mean', 'zero', 'middle', 'bands'], ['lower']],
      ['Slice', ['mean', 'middle', 'end', 'bands'], ['upper']],
      ['ReduceMax', ['lower'], ['deep'], { axes: [1], keepdims: 1 }],
      ['ReduceMax', ['upper'], ['shrill'], { axes: [1], keepdims: 1 }],
      ['Sub', ['deep', 'shrill'], ['deeper']],
      ['Sub', ['shrill', 'deep'], ['shriller']],
      ['Concat', ['deeper', 'shriller'], ['both'], { axis: 1 }],
      ['Relu', ['both'], ['positive']],
      ['Add', ['positive', 'little'], ['embedding']],
    ],
    metadata: {
      framework: '3d-speaker',
      language: 'English',
      url: 'none',
      comment: 'of a test',
      sample_rate: pieceRate,
      output_dim: 2,
      normalize_samples: 1,
      feature_normalize_type: '',
      normalize_features: 0,
      version: 1,
    },
  });

const tokens = () => Buffer.from('<blk> 0\n▁low 1\n▁high 2\n');

const makes = {
  beeps: {
    kind: 'transducer',
    files: { 'encoder.onnx': encoder, 'decoder.onnx': decoder, 'joiner.onnx': joiner, 'tokens.txt': tokens },
  },
  activity: { kind: 'activity', files: { 'model.onnx': activity } },
  voices: { kind: 'voices', files: { 'segmentation.onnx': segmentation, 'embedding.onnx': embedding } },
} as const;

/** Writes the named models into a folder of models, laid out as after a download. */
export function layModels(folder: string, names: readonly (keyof typeof makes)[], languages?: string[]): void {
  for (const name of names) {
    const { kind, files } = makes[name];
    mkdirSync(join(folder, name), { recursive: true });
    const described = Object.entries(files).map(([file, make]: [string, () => Buffer]) => {
      const bytes = make();
      writeFileSync(join(folder, name, file), bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return [file.replace(/\.\w+$/, ''), { name: file, bytes: bytes.length, sha256 }];
    });
    const description = {
      name,
      title: 'Beeps',
      licence: 'none',
      source: 'a test',
      verified: 'recorded',
      kind,
      files: Object.fromEntries(described) as never,
      ...(kind === 'transducer' && { make: '', ...(languages && { languages }) }),
    } as ModelDescription;
    writeFileSync(join(folder, name, descriptionFile), JSON.stringify(description));
  }
}
