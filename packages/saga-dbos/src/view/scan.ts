/** Bounds of a scan. */
export interface ScanBounds {
  /** Offset of the first row. */
  readonly begin: number;
  /** Maximum number of results. */
  readonly limit: number;
  /** Maximum number of rows read. */
  readonly maxRows: number;
}

/** Results of a scan. */
export interface Scanned<Result> {
  readonly found: Result[];
  /** Offset of the first row that was not read; `null` if there are no further rows. */
  readonly next: number | null;
}

/** Reads rows, in pages of at most `limit`, until there are enough results. @param select returns the result for a row; `null` for a row that is not wanted */
export const scan = async <Row, Result>(
  { begin, limit, maxRows }: ScanBounds,
  read: (offset: number, count: number) => Promise<readonly Row[]>,
  select: (row: Row) => Promise<Result | null>,
): Promise<Scanned<Result>> => {
  const found: Result[] = [];
  const end = begin + maxRows;
  for (let offset = begin; offset < end;) {
    const count = Math.min(limit, end - offset);
    const rows = await read(offset, count);
    for (const row of rows) {
      offset++;
      const result = await select(row);
      if (result === null) continue;
      found.push(result);
      if (found.length === limit) return { found, next: offset };
    }
    if (rows.length < count) return { found, next: null };
  }
  return { found, next: end };
};
