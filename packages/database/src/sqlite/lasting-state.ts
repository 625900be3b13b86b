/** Whether a text changes the connection for the next statement of another caller. A false positive only costs a connection. */
export const leavesState = (text: string): boolean => {
  if (!SUSPECT.test(text)) return false;
  const words = text.replaceAll(QUOTED, (piece) => (/^[-/]/.test(piece) ? " " : '""'));
  return lasting.some((pattern) => pattern.test(words));
};

const SUSPECT = /pragma|attach|detach|temp/i;

/** Strings, quoted names and comments, to the end of the text if unclosed. Linear time. */
const QUOTED = /'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;

const lasting: readonly RegExp[] = [
  /(?:^|;)\s*pragma\s[^;]*[=(]/i, // without a value it only reads
  /(?:^|;)\s*(?:attach|detach)\b/i,
  /(?:^|;)\s*create\s+temp(?:orary)?\b/i,
  /(?:^|;)\s*create\s[^;]*\btemp(?:orary)?\s*\./i,
];
