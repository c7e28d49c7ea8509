import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Whether more than this share of the process's memory is in use, Buffers included. Garbage counts until it is
 * collected, and a process that refuses all work allocates too little to trigger a collection: it would refuse for
 * ever. So a collection is forced above the mark, at most once in `every` milliseconds.
 */
export function memoryMark(share: number, every = 5000): () => boolean {
  let collected = -Infinity;
  const over = () => {
    const { used_heap_size, external_memory, heap_size_limit } = getHeapStatistics();
    return used_heap_size + external_memory > heap_size_limit * share;
  };
  return () => {
    if (!over()) return false;
    if (performance.now() - collected < every) return true;
    collected = performance.now();
    collect();
    return over();
  };
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  // The first run frees the objects that hold the Buffers, the second the bytes of the Buffers.
  gc();
  gc();
}
