import type { Payload } from "./payload.ts";

/** What a transport needs of a response; every `Response` of the framework is one. */
export interface Reply {
  /** 200 to 599. */
  readonly status: number;
  readonly payload: Payload;
  /** name, value, name, value … without what the transport adds: framing, `connection` and `date`. */
  fields(): readonly string[];
}
