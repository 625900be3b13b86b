/** Whether a text changes the state of the connection for later statements of other callers. A false positive only costs a connection. */
export const leavesState = (text: string): boolean => {
  if (!SUSPECT.test(text)) return false;
  const words = text.replaceAll(QUOTED, (piece) => {
    if (/^[-/]/.test(piece)) return " ";
    return TEMP_NAME.test(piece) ? " temp " : '""';
  });
  return lasting.some((pattern) => pattern.test(words));
};

const SUSPECT = /pragma|attach|detach|temp/i;

/** Strings, quoted names and comments, to the end of the text if unclosed. Linear time. */
const QUOTED = /'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;

/** Quoted forms of the schema name `temp`, which mean the same as the unquoted name. */
const TEMP_NAME = /^(?:'temp'|"temp"|`temp`|\[temp\])$/i;

const lasting: readonly RegExp[] = [
  /(?:^|;)\s*pragma\b[^;]*[=(]/i, // without a value it only reads
  /(?:^|;)\s*(?:attach|detach)\b/i,
  /(?:^|;)\s*create\s+temp(?:orary)?\b/i,
  /(?:^|;)\s*create\s[^;]*\btemp(?:orary)?\s*\./i,
];
