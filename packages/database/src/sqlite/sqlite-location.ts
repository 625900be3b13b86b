/** Location of a SQLite database: a file or memory; `null` for other databases. */
export const sqliteLocation = (url: string): string | null => {
  if (!url.startsWith("sqlite://")) return null;
  const path = decodeURIComponent(url.slice("sqlite://".length));
  return path === "" || path === ":memory:" || path === "/:memory:" ? ":memory:" : path;
};

/** Whether it is the address of a SQLite database, whose path is percent-encoded. */
export const isSqliteUrl = (url: string): boolean => {
  try {
    return sqliteLocation(url) !== null;
  } catch {
    return false; // a bad percent sign
  }
};
