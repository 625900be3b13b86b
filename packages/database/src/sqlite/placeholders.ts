/**
 * Writes `$1` as `?1`: SQLite takes `$1` for a name and would number such names by where they first stand.
 *
 * Text in quotes and comments stays as it is. Linear in the length of the text.
 */
export const numberedPlaceholders = (text: string): string => {
  if (!text.includes("$")) return text;
  return text.replaceAll(PIECES, (piece) => (piece.startsWith("$") ? `?${piece.slice(1)}` : piece));
};

const PIECES = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|\$\d+/g;
