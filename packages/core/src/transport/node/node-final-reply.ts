import { reasonPhrase } from "../../http/reason-phrase.ts";
import { headerName, headerValue } from "../../response/header-rules.ts";
import { prepareReply } from "../wire/reply-head.ts";
import type { Reply } from "../../exchange/reply.ts";

/**
 * Returns a complete reply as bytes, with `connection: close`, for refused messages without a response object of `node:http`.
 *
 * @param method method of the message; HEAD gets no body
 * @throws CORE_BAD_HEADER for an invalid field
 */
export const finalReply = (reply: Reply, method: string, date: string): Buffer => {
  const { status, fields, payload } = prepareReply(reply, { method, minor: 1, close: true, date });
  let head = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    headerName(name);
    head += `${name}: ${headerValue(name, fields[at + 1] as string)}\r\n`;
  }
  const body = typeof payload === "string" || payload instanceof Uint8Array ? payload : "";
  return Buffer.concat([Buffer.from(`${head}\r\n`, "latin1"), Buffer.from(body as string)]);
};
