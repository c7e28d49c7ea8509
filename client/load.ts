const patience = 120_000;
const again = 15_000;

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

/** The same of a part nobody has asked for: whatever keeps it away, such as no network, it is tried again, and nobody hears of it. */
export async function loadWhenPossible<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await loadChunk(load);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, again));
    }
  }
}
