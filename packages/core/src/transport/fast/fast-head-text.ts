import { reasonPhrase } from "../../http/reason-phrase.ts";
import { headerName, headerValue } from "../../response/header-rules.ts";
import type { ReplyHead } from "../wire/reply-head.ts";

/**
 * Returns a reply's head as text, one character for each byte, including the empty line.
 *
 * @throws CORE_BAD_HEADER for an invalid field, before anything is written
 */
export const headText = ({ status, fields, close }: ReplyHead): string => {
  let text = statusLine(status);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    headerName(name);
    text += `${name}: ${headerValue(name, value)}\r\n`;
  }
  return close ? `${text}\r\n` : `${text}Connection: keep-alive\r\n\r\n`;
};

const OK_LINE = "HTTP/1.1 200 OK\r\n";

/** Status line of a reply, line end included. */
export const statusLine = (status: number): string =>
  status === 200 ? OK_LINE : `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`;
