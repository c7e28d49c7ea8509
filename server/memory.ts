import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Whether more than this share of the memory the process was given is in use, Buffers with it. What was thrown away
 * counts until it is collected, and a process that refuses all work has little reason to collect: it would stay full
 * for ever. So over the mark it is made to, now and then, and only what is left counts.
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
  // The first frees what held the Buffers, the second their bytes.
  gc();
  gc();
}
