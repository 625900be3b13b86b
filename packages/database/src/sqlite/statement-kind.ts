/** Whether a statement only reads, judged by its text. A false negative only makes it slower. */
export const onlyReads = (text: string): boolean => {
  const start = text.replace(LEADING, "");
  if (/^(select|values)\b/i.test(start)) return true;
  return /^with\b/i.test(start) && !/\b(insert|update|delete|replace)\b/i.test(start);
};

const LEADING = /^(?:\s+|--[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/;
