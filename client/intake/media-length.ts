/** Milliseconds after which a file whose length the browser cannot read is taken as unknown. */
const longestLook = 15_000;

/** Seconds of a recording as this browser reads them; null where it cannot. The server measures them in any case. */
export function mediaSeconds(file: File): Promise<number | null> {
  return new Promise((resolve) => {
    const media = document.createElement(file.type.startsWith('audio/') ? 'audio' : 'video');
    const address = URL.createObjectURL(file);
    const end = (seconds: number | null) => {
      clearTimeout(timer);
      media.removeAttribute('src');
      URL.revokeObjectURL(address);
      resolve(seconds);
    };
    const timer = setTimeout(() => end(null), longestLook);
    media.preload = 'metadata';
    media.addEventListener('loadedmetadata', () => end(Number.isFinite(media.duration) ? media.duration : null), {
      once: true,
    });
    media.addEventListener('error', () => end(null), { once: true });
    media.src = address;
  });
}
