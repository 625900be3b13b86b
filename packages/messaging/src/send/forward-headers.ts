import { newHeaders } from "../envelope/event.ts";
import type { WireHeaders } from "../port/delivery.ts";
import { isSendable } from "./to-event.ts";

/**
 * Returns the headers of a received message that may be sent again: extension attributes (`ce_<name>`) and headers of its sender, but not headers of messaging,
 * such as the expiry, nor the `content-type` of data that is not JSON. `send` replaces their trace context by the current one of the same trace.
 */
export const forwardHeaders = (headers: WireHeaders): Readonly<Record<string, string>> => {
  const forwarded = newHeaders();
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (isSendable(name, value)) forwarded[name] = value;
  }
  return forwarded;
};
