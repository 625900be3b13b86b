import {
  explainedBy,
  BodyStream,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  type Feature,
  type FieldUse,
  flag,
  type ImpliedReply,
  mapOutput,
  readyBody,
  waitsOnce,
} from "@framework/core/feature";
import type { Awaitable, HttpRequest, Middleware, Response } from "@framework/core";
import { withReasons } from "./etag-reasons.ts";
import { cachedTags, type TagOf } from "./cached-tags.ts";
import { isUnchanged, notModified } from "./not-modified.ts";

/** Options of `enableEtag`. */
export interface EtagConfig {
  /** Whether generated tags are weak, so all codings of a body share one. @default true */
  readonly weak: boolean;
}

export const EtagConfig: ConfigRecord<EtagConfig> = configRecord("EtagConfig", { weak: flag(true) });

/** The methods that the feature adds to an app. */
export interface Etags {
  /** Adds tags to replies, and sends 304 to clients that have the current version. @throws CORE_BAD_CONFIG at start, together with all other configuration errors */
  enableEtag(config?: ConfigInput<EtagConfig>): this;
}

/**
 * Entity tags (RFC 9110 8.8.3) on every reply whose body is in memory, and 304 Not Modified for GET and HEAD requests whose condition matches.
 *
 * @example
 * const app = new (App.with(etag))().enableEtag();
 */
export const etag: Feature<Etags> = {
  name: "etag",
  install: (host) => ({
    enableEtag(config) {
      const { reasons } = host.insight;
      const tagging = tagReplies(host.configure(EtagConfig, config));
      host.http.use("etag", explainedBy(waitsOnce(tagging), withReasons(tagging, reasons)));
      host.http.usesFields(() => [tagField]);
      host.http.impliesReplies(({ method }) => (method === "GET" || method === "HEAD" ? [unchanged] : []));
      return this;
    },
  }),
};

const unchanged: ImpliedReply = { status: 304, description: "The client has the current version." };

const tagField: FieldUse = {
  name: "ETag",
  in: "reply",
  description: "Tag of this version of the content.",
  type: "string",
};

const tagReplies = ({ weak }: EtagConfig): Middleware<HttpRequest, Response> => {
  const tagOf = cachedTags(weak);
  const conclude = (reply: Response, request: HttpRequest): Response => {
    addTag(reply, tagOf);
    return isUnchanged(request, reply) ? notModified(reply) : reply;
  };
  const tagReply = (reply: Response, request: HttpRequest): Awaitable<Response> => {
    const ready = reply.payload instanceof BodyStream ? readyBody(reply) : null;
    return ready === null ? conclude(reply, request) : ready.then((whole) => conclude(whole, request));
  };
  return function tagReplies(request, next) {
    return mapOutput(next(request), tagReply, request);
  };
};

/** Adds a tag unless the handler has set one; skips partial bodies, whose hash would not identify the complete body. */
const addTag = (reply: Response, tagOf: TagOf): void => {
  const { payload } = reply;
  if (payload === null || payload instanceof BodyStream || reply.status === 206) return;
  const { headers } = reply;
  if (!headers.has("etag")) headers.append("etag", tagOf(payload));
};
