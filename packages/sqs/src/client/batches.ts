/** Maximum number of entries of one request. */
export const BATCH = 10;
/** Maximum bytes of one request. */
const MAX_BYTES = 1_048_576;
/** Maximum number of concurrent requests of one call. */
const PARALLEL = 8;

/** Splits entries into batches of at most 10 entries and 1 MiB. @param bytesOf returns the size of an entry. @default 0 */
export const batchesOf = <T>(
  entries: readonly T[],
  bytesOf: (entry: T) => number = () => 0,
): readonly (readonly T[])[] => {
  const batches: T[][] = [];
  let open: T[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = bytesOf(entry);
    if (open.length === BATCH || (open.length > 0 && bytes + size > MAX_BYTES)) {
      batches.push(open);
      open = [];
      bytes = 0;
    }
    open.push(entry);
    bytes += size;
  }
  if (open.length > 0) batches.push(open);
  return batches;
};

/** Runs work for each item of a list, with limited concurrency. `work` must not reject. */
export const forEach = async <T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<void> => {
  const items = list.values();
  const worker = async (): Promise<void> => {
    for (const each of items) await work(each);
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, list.length) }, worker));
};
