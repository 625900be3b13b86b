/** Returns the location of a SQLite database, a path or `:memory:`; `null` for other databases. */
export const sqliteLocation = (url: string): string | null => {
  if (!url.startsWith("sqlite://")) return null;
  const path = decodeURIComponent(url.slice("sqlite://".length));
  return path === "" || path === ":memory:" || path === "/:memory:" ? ":memory:" : path;
};

/** Whether a URL is that of a SQLite database, whose path is percent-encoded. */
export const isSqliteUrl = (url: string): boolean => {
  try {
    return sqliteLocation(url) !== null;
  } catch {
    return false; // invalid percent-encoding
  }
};
