/** Whether a statement changes the session for the next user of the connection. A false positive only costs a connection. */
export const leavesState = (text: string): boolean => {
  const words = text.replaceAll(QUOTED, (piece) => {
    if (/^[-/]/.test(piece)) return " ";
    return LASTING_FUNCTION.test(piece) ? piece.slice(1, -1) : '""';
  });
  return lasting.some((pattern) => pattern.test(words));
};

/** Strings, quoted names and comments, to the end of the text if unclosed. Linear time. */
const QUOTED = /\be'(?:[^'\\]|\\[^])*'?|'[^']*'?|"[^"]*"?|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/gi;

/** Functions keep their meaning in quotes. */
const LASTING_FUNCTION = /^"(?:set_config|pg_(?:try_)?advisory_lock(?:_shared)?)"$/;

const lasting: readonly RegExp[] = [
  /(?:^|;)\s*(?:set(?!\s+(?:local|transaction|constraints)\b)|listen|prepare|deallocate|discard|load)\b/i,
  /(?:^|;)\s*declare\b[^;]*\bwith\s+hold\b/i,
  /(?:^|;)\s*create\s+(?:or\s+replace\s+)?(?:(?:global|local)\s+)?temp(?:orary)?\b/i,
  /(?<!\b(?:insert|merge)\s+)\binto\s+(?:(?:global|local)\s+)?temp(?:orary)?\s+[\w"]/i,
  /\bpg_temp\s*\./i,
  /\bpg_(?:try_)?advisory_lock(?:_shared)?\s*\(/i,
  /\bset_config\s*\((?!(?:[^()]|\([^()]*\))*,\s*true\s*\))/i, // its arguments may be any expressions: only `true` lasts no longer than the transaction
  /(?:^|;)\s*do\b/i, // a block may do anything
  /\*\//, // nested comments are not parsed
];
