/**
 * Rewrites `$1` as `?1`: SQLite treats `$1` as a name and numbers names by first occurrence.
 *
 * Quoted text and comments are kept. Linear time.
 */
export const numberedPlaceholders = (text: string): string => {
  if (!text.includes("$")) return text;
  return text.replaceAll(PIECES, (piece) => (piece.startsWith("$") ? `?${piece.slice(1)}` : piece));
};

const PIECES = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|\$\d+/g;
