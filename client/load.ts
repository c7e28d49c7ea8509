const patience = 120_000;
const again = 15_000;

/** Code of the application could not be loaded. */
export class ChunkError extends Error {
  override readonly name = 'ChunkError';
}

/** Loads a lazy part; gives up after two minutes. */
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

/** The same for a part in the background: tries until it is loaded, without showing failures. */
export async function loadWhenPossible<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await loadChunk(load);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, again));
    }
  }
}
