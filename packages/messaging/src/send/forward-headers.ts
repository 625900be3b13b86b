import { newHeaders } from "../envelope/event.ts";
import type { WireHeaders } from "../port/delivery.ts";
import { isSendable } from "./to-event.ts";

/**
 * Returns the headers of a received message that another message can have: extension attributes (`ce_<name>`) and those of its sender, without those that
 * messaging sets itself, such as the expiry, and without the `content-type` of data that is no JSON.
 */
export const forwardHeaders = (headers: WireHeaders): Readonly<Record<string, string>> => {
  const forwarded = newHeaders();
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (isSendable(name, value)) forwarded[name] = value;
  }
  return forwarded;
};
