/** Returns a string literal in ASCII: all other characters, which editors may hide or reorder, are escaped. */
export const inert = (text: string): string =>
  JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Returns a member's name for a type or object, quoted unless it is an identifier. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : inert(name));

/** Returns a key for an object literal. `__proto__` is a computed key, because a plain key would set the prototype. */
export const objectKey = (name: string): string =>
  name === "__proto__" ? '["__proto__"]' : memberName(name);

/** Returns a line that cannot end a comment, without control, format and separator characters except spaces. */
export const commentText = (text: unknown, maxLength = 160): string => {
  if (typeof text !== "string") return "";
  const line = text
    .slice(0, maxLength * 4)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .replace(/\*(?=\/)/g, "* ")
    .trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength - 1).replace(/\p{Cs}$/u, "")}…`; // without half of a surrogate pair
};
