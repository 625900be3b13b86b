/** Whether a statement changes the session for the next user of the connection. A false positive only costs a connection. */
export const leavesState = (text: string): boolean => {
  const words = text.replaceAll(QUOTED, (piece) => (/^[-/]/.test(piece) ? " " : '""'));
  return lasting.some((pattern) => pattern.test(words));
};

/** Strings, quoted names and comments, to the end of the text if unclosed. Linear time. */
const QUOTED = /\be'(?:[^'\\]|\\[^])*'?|'[^']*'?|"[^"]*"?|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/gi;

const lasting: readonly RegExp[] = [
  /(?:^|;)\s*(?:set(?!\s+(?:local|transaction|constraints)\b)|listen|prepare|deallocate|discard|load)\b/i,
  /(?:^|;)\s*declare\b[^;]*\bwith\s+hold\b/i,
  /(?:^|;)\s*create\s+(?:or\s+replace\s+)?(?:(?:global|local)\s+)?temp(?:orary)?\b/i,
  /(?<!\b(?:insert|merge)\s+)\binto\s+(?:(?:global|local)\s+)?temp(?:orary)?\s+[\w"]/i,
  /\bpg_temp\s*\./i,
  /\bpg_(?:try_)?advisory_lock(?:_shared)?\s*\(/i,
  /\bset_config\s*\([^()]*\bfalse\s*\)/i,
  /\*\//, // nested comments are not parsed
];
