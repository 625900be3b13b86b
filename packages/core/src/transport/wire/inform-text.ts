import { reasonPhrase } from "../../http/reason-phrase.ts";

/** Returns an interim reply as text, one character for each byte. @param fields checked header lines: name, value, name, value … */
export const informText = (status: number, fields: readonly string[]): string => {
  let text = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`;
  for (let at = 0; at + 1 < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return `${text}\r\n`;
};
