/** Random bytes read at once: enough for 256 ids. */
const POOL_BYTES = 4096;

/**
 * Creates UUIDs of version 4 (RFC 9562 5.4) from the system's random source; each byte is used once.
 *
 * The result is a flat string; that of `crypto.randomUUID` is a rope of twenty strings that is flattened on first read.
 */
export const uuids = (): (() => string) => {
  const pool = new Uint8Array(POOL_BYTES);
  const highDigits = Uint8Array.from({ length: 256 }, (_, byte) => digit(byte >> 4));
  const lowDigits = Uint8Array.from({ length: 256 }, (_, byte) => digit(byte & 15));
  let at = POOL_BYTES;
  const high = (): number => highDigits[pool[at] as number] as number;
  const low = (): number => lowDigits[pool[at++] as number] as number;
  // prettier-ignore
  return () => {
    if (at === POOL_BYTES) {
      crypto.getRandomValues(pool);
      at = 0;
    }
    pool[at + 6] = 0x40 | ((pool[at + 6] as number) & 0x0f); // the version
    pool[at + 8] = 0x80 | ((pool[at + 8] as number) & 0x3f); // the variant
    return String.fromCharCode(
      high(), low(), high(), low(), high(), low(), high(), low(), DASH,
      high(), low(), high(), low(), DASH,
      high(), low(), high(), low(), DASH,
      high(), low(), high(), low(), DASH,
      high(), low(), high(), low(), high(), low(), high(), low(), high(), low(), high(), low(),
    );
  };
};

const DASH = 0x2d;

const digit = (value: number): number => value.toString(16).charCodeAt(0);
