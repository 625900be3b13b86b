import { type HttpRequest, Response } from "@framework/core";

type Fields = Record<string, string>;

/** The reply of a handler; a test changes it between requests. */
export interface TaggedState {
  body: string;
  etag?: string;
  modified?: string;
  fields: Fields;
  status?: number;
}

/** Creates a handler that sends the current state, or 304 with its `fields` if the entity tag or the modification date matches. */
export const taggedHandler =
  (state: TaggedState, conditions: (string | null)[] = []) =>
  (request: HttpRequest): Response => {
    const { etag, modified } = state;
    const headers: Fields = {
      ...state.fields,
      ...(etag !== undefined && { etag }),
      ...(modified !== undefined && { "last-modified": modified }),
    };
    conditions.push(request.getHeader("if-none-match") ?? request.getHeader("if-modified-since"));
    if (state.status !== undefined) return new Response("failed", { status: state.status });
    const same =
      (etag !== undefined && request.getHeader("if-none-match") === etag) ||
      (modified !== undefined && request.getHeader("if-modified-since") === modified);
    return same ? new Response(null, { status: 304, headers }) : new Response(state.body, { headers });
  };
