import { ClientError } from "../http/client-error.ts";
import type { ServerSentEvent } from "./operation.ts";
import { streamLines } from "./stream-lines.ts";

/** Parses an event stream (WHATWG HTML 9.2.6). An incomplete last event is dropped, as the standard requires. */
export async function* streamEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxLength: number,
): AsyncGenerator<ServerSentEvent> {
  let id = "";
  let event = "";
  let data: string[] = [];
  let size = 0;
  let retryMs: number | undefined;
  for await (const line of streamLines(body, maxLength)) {
    if (line.startsWith(":")) continue; // a comment is not part of an event
    if (line === "") {
      if (data.length > 0) {
        yield {
          event: event === "" ? "message" : event,
          data: data.join("\n"),
          id,
          ...(retryMs !== undefined && { retryMs }),
        };
        retryMs = undefined; // kept until an event has data, because servers also send `retry` without data
      }
      [event, data, size] = ["", [], 0];
      continue;
    }
    size += line.length;
    if (size > maxLength)
      throw new ClientError("CLIENT_BODY_TOO_LARGE", `an event is longer than ${maxLength} characters`);
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) retryMs = Number(value);
  }
}
