const patience = 120_000;

/** A part of the application did not arrive. */
export class ChunkError extends Error {
  override readonly name = 'ChunkError';
}

/** Loads a lazy part, for at most two minutes. */
export async function loadChunk<Module>(load: () => Promise<Module>): Promise<Module> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ChunkError('A part of the application took too long')), patience);
  });
  try {
    return await Promise.race([load(), late]);
  } catch (cause) {
    throw cause instanceof ChunkError ? cause : new ChunkError('A part of the application did not arrive', { cause });
  } finally {
    clearTimeout(timer);
  }
}
