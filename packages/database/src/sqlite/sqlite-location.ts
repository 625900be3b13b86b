/** Location of a SQLite database: a file or memory; `null` for other databases. */
export const sqliteLocation = (url: string): string | null => {
  if (!url.startsWith("sqlite://")) return null;
  const path = decodeURIComponent(url.slice("sqlite://".length));
  return path === "" || path === ":memory:" || path === "/:memory:" ? ":memory:" : path;
};
