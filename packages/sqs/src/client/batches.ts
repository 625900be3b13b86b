/** Entries of one request. */
export const BATCH = 10;
/** Bytes of one request, all entries together. */
const MAX_BYTES = 1_048_576;
/** Requests of one call at a time. */
const PARALLEL = 8;

/** Splits a list into requests. @param bytesOf size of an entry. @default 0 */
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

/** Does work for each of a list, for a few at a time. `work` must not reject. */
export const forEach = async <T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<void> => {
  const left = list.values();
  const worker = async (): Promise<void> => {
    for (const each of left) await work(each);
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, list.length) }, worker));
};
