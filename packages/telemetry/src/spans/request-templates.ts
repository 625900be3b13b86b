import type { Endpoint, HttpRequest } from "@framework/core";
import { ProtoWriter } from "../export/proto-writer.ts";
import { encodeAttributes } from "../export/span-bytes.ts";
import { methodNumber } from "../metrics/method-number.ts";
import type { EncodedAttributes } from "../tracing/span-parts.ts";
import { serverAttributes } from "./request-attributes.ts";

/** Maximum number of templates of one app; further requests are encoded individually. */
const MAX_TEMPLATES = 2000;
/** Greater than every status code. */
const STATUSES = 1000;

/** Attributes of completed requests of one route, method, scheme and status, for the host of the last request. */
interface Template extends EncodedAttributes {
  readonly host: string;
}

/**
 * Attributes that completed requests share, encoded once: half the bytes of a typical span (166 of 333, with a short user agent).
 * Clients can send any host, so each template stores only the last host.
 */
export class RequestTemplates {
  private readonly byEndpoint: Map<Endpoint | null, Map<number, Template>> = new Map();
  private readonly writer: ProtoWriter = new ProtoWriter();
  private size = 0;

  /** Returns the shared attributes of a request; `null` for an unknown method, or if a new template would exceed the maximum. @param status 1 to 999 */
  of(request: HttpRequest, status: number): EncodedAttributes | null {
    const { endpoint, method, scheme, host } = request;
    const number = methodNumber(method);
    if (number === 0) return null;
    let ofEndpoint = this.byEndpoint.get(endpoint);
    if (ofEndpoint === undefined) this.byEndpoint.set(endpoint, (ofEndpoint = new Map()));
    const key = (number * 2 + (scheme === "http" ? 0 : 1)) * STATUSES + status;
    const known = ofEndpoint.get(key);
    if (known !== undefined && known.host === host) return known;
    if (known === undefined && this.size >= MAX_TEMPLATES) return null;
    if (known === undefined) this.size++;
    const attributes = { ...serverAttributes(request), "http.response.status_code": status };
    const template = { host, attributes, bytes: encodeAttributes(attributes, this.writer) };
    ofEndpoint.set(key, template);
    return template;
  }
}
